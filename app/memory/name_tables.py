"""Words by which names are told from other text: extensions, programs, keywords, kinds of tools."""


def words(text: str) -> frozenset[str]:
    """Words, written in a few lines."""
    return frozenset(text.split())


# Paths

EXTENSIONS = words(
    # Source
    "py pyi pyx js mjs cjs jsx ts mts cts tsx go rs java kt kts scala clj c h cc cpp cxx hh hpp "
    "m mm cs fs vb rb php swift dart lua pl pm r jl hs ml ex exs erl zig nim pony sol vue svelte "
    "astro sh bash zsh fish ps1 bat cmd sql graphql proto asm "
    # What is written around it
    "md mdx rst adoc txt tex json jsonl json5 jsonc yaml yml toml ini cfg conf properties env lock "
    "xml xsd html htm css scss sass less tcss svg csv tsv parquet ipynb j2 tmpl tpl hbs ejs snap "
    "golden diff patch log traj gradle mod sum tf hcl cmake mk gitignore dockerfile prisma "
    # What is built or drawn
    "db sqlite png jpg jpeg gif ico webp pdf whl jar zip tar gz tgz so dll exe wasm"
)
"""Extensions that make a run a path (NAMES 4.1 "known extension"), in lower case."""

ALSO_MEMBERS = words("log env json db sum mod go h c m r lock so sql html xml sh cmd diff patch")
OBJECTS = words(
    "console process self this cls res resp response req request math logger np torch pd df ctx "
    "window document event args kwargs json meta os sys re session client cursor conn"
)
"""`console.log`, `process.env`, `response.json` are members, not files."""

# Symbols

DEFINING = (
    *("def", "class", "func", "function", "fn", "interface", "type", "struct", "enum", "trait"),
    *("TABLE", "table", "VIEW"),
)
"""Keywords before a name that is defined (NAMES 4.1; beyond it tables and views of SQL)."""

# Commands

PROGRAMS = words(
    "git npm pnpm yarn bun npx go cargo make docker pip uv pytest python node gh mvn gradle"
)
"""Programs that are known before anything was run (NAMES 4.1)."""

DOES = {
    "git": words(
        "add am apply archive bisect blame branch bundle checkout cherry-pick clean clone commit "
        "config describe diff fetch format-patch fsck gc grep init log ls-files ls-tree merge mv "
        "notes pull push range-diff rebase reflog remote reset restore revert rev-parse rm "
        "shortlog show show-ref sparse-checkout stash status submodule switch tag update-index "
        "worktree cat-file check-ignore for-each-ref hash-object rev-list symbolic-ref update-ref "
        "ls-remote"
    ),
    "go": words(
        "build clean doc env fix fmt generate get install list mod run test tool version vet work"
    ),
    "cargo": words(
        "add bench build check clean clippy doc fetch fix fmt init install metadata new nextest "
        "publish remove run search test tree uninstall update version"
    ),
    "docker": words(
        "build buildx compose cp create exec image images info inspect kill login logs network ps "
        "pull push restart rm rmi run start stats stop system tag top volume"
    ),
    "gh": words(
        "api auth browse cache codespace gist issue label pr project release repo ruleset run "
        "search secret ssh-key variable workflow"
    ),
    "pip": words(
        "cache check config debug download freeze index inspect install list show uninstall wheel"
    ),
    "uv": words(
        "add build cache export init lock pip publish python remove run self sync tool tree venv"
    ),
    "make": words(
        "all build check ci clean coverage deploy dev dist docs fmt format generate help install "
        "lint release run serve setup start test tests"
    ),
    **dict.fromkeys(
        ("npm", "pnpm", "yarn", "bun"),
        words(
            "add audit build check ci config create dedupe dev dlx exec fmt format fund init "
            "install link lint list login ls outdated pack prune publish rebuild remove run "
            "run-script serve start stop test uninstall update upgrade version view workspace x"
        ),
    ),
}
"""What programs are told to do, where that is a closed list or nearly: in prose anything follows
`git` and `make`. Where a command surely stands, other words count too."""

RUN_SCRIPTS = words("node python")
"""Programs that in prose are followed by anything, as commands by a script."""

NO_PROGRAMS = words(
    "cd pushd popd export set unset source . for while until if then else elif fi do done case "
    "esac in function select echo printf true false exit return test [ [[ { } ! : eval read"
)
"""Words of the shell itself: they begin a command, but name nothing."""

BEFORE = words("sudo time timeout nohup env command exec nice")
"""Programs that run another one."""

STOP = words(
    "a about after again against all also an and any are as at back be because been before between "
    "but by can code could did do does down each else even every file files first for forward from "
    "further get got had has have he here how i if in into is isn't it its itself just know let "
    "like ll look made make me more most much must my need new next no not now of off on one only "
    "or other our out over own process re same see server should so some such sure than that the "
    "their them then there these they this those through to too under until up use used uses using "
    "very via version was we well were what when where which while who why will with without work "
    "works would you your"
)
"""Second words of prose: `go to`, `make sure`, `node is` (NAMES 4.1, "a stop list")."""

# Calls

PATH_KEYS = words(
    "path file_path filepath notebook_path file filename file_name dir directory dir_path folder "
    "absolute_path root cwd workdir"
)
"""Arguments that are a path, in lower case."""

COMMAND_KEYS = words("command cmd script")
"""Arguments that are a command, in lower case."""

BESIDE = words("web fetch browse url task agent todo memory note history")
EDITS = words("write edit patch replace create delete move rename insert str")
RUNS = words("bash shell exec execute command terminal run powershell stdin")
LISTS = words("ls list glob find tree dir directory")
SEARCHES = words("grep rg search ripgrep")
READS = words("read cat view open head")
"""Words in the names of tools that tell what they do; the first that fits, in this order."""

LISTING = words("ls find glob tree fd dir")
SEARCHING = words("rg grep ag ack search egrep fgrep")
READING = words("cat sed head tail view read nl less more bat awk")
"""Programs that, run by a shell tool, do what those tools do (NAMES 4.1)."""
