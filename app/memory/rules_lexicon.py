"""Words that terse rules are made of: what may be left out, chosen, measured, or owed.

English; each is the text of a pattern. `rules_terse`, `rules_norms`, `rules_stated` and
`rules_customs` put them together, so that a word added here is known in every form.
"""

from typing import Final

from app.memory.rules_english import LANGUAGE, TOOLS

MADE: Final = (
    r"(?:commit|commit message|PR|pull request|feature|endpoint|function|method|class|module"
    r"|component"
    r"|migration|file|test|page|table|column|route|branch|release|change|bug ?fix|query|string"
    r"|script|handler|hook|service|controller|package|crate|model|job|command|API|view|interface"
    r"|helper|plugin|exception|struct|trait|story|screen|resource|fix)"
)
"""One of what the work makes."""

MANY: Final = (
    r"(?:commits|commit messages|PRs|pull requests|features|endpoints|functions|methods|classes"
    r"|modules"
    r"|components|migrations|files|tests|pages|tables|columns|routes|branches|releases|changes"
    r"|bug ?fixes|queries|strings|scripts|handlers|hooks|services|controllers|packages|crates"
    r"|models"
    r"|jobs|commands|APIs|views|interfaces|helpers|plugins|exceptions|structs|traits|screens"
    r"|resources|fixes|messages|comments|variables|constants|types|dates|timestamps|amounts|prices"
    r"|errors|exceptions|logs|imports|dependencies|paths|docs|docstrings|identifiers|names|secrets"
    r"|passwords|tokens|credentials|fixtures|repositories|adapters|rules|styles|operations|deletes"
    r"|deployments|answers|replies)"
)
"""The same, of many."""

PROPERTY: Final = (
    r"(?:docstrings?|(?:unit |integration |regression |snapshot )?tests?|test (?:cases?|files?)"
    r"|types?|type (?:hints?|annotations?)|return types?|annotations?|reviews?|approval|tickets?"
    r"|changelog(?: \w+)?|comments?|documentation|docs|doc comments?|validation|auth\w*|timeouts?"
    r"|licen[cs]e headers?|logging|error handling|dry runs?|confirmation|backups?|reasons?"
    r"|justification|rationale|examples?|stor(?:y|ies)|rollbacks?|down migrations?"
    r"|readmes?|feature flags?|rate limit\w*|pagination|aria labels?|alt texts?|caching)"
)
"""What each of them may be asked to have."""

_REPORTED: Final = (
    r"(?!(?:errors?|issues?|problems?|hits?|match(?:es)?|failures?|references|results?|evidence"
    r"|impact|effect|way|conflicts?|warnings?|leaks?|crash(?:es)?|works?|exists?|appears?|loads?|shows?"
    r"|opens?|gets?)\b)"
)
UNWANTED: Final = (
    # dependencies and tools
    r"(?:dependenc\w+|librar\w+|packages?|libs?|frameworks?|polyfills?|shims?|npm|yarn|pnpm|sudo"
    r"|orms?|jquery|lodash|moment(?:\.js)?|axios|redux|docker|sqlite|electron|bootstrap|tailwind"
    r"|graphql"
    # constructs
    r"|unsafe(?: code| blocks?)?|unwraps?|unwrap\(\)|eval|goto|macros|recursion|reflection"
    r"|regex(?:es)?|lambdas|decorators|wildcards|casts|sleeps|loops|ternar\w+|one-liners|threads"
    r"|polling|inheritance|mutation|side effects|globals?|(?:global|mutable|shared) state"
    r"|global variables?|singletons?|any|anys|any types?|ts-ignores?|ts-expect-error|type ignores?"
    r"|noqa|nulls?(?! in the)|var|console\.log\w*|prints?|print statements?|semicolons?|commonjs"
    r"|imports"
    r"|exports|(?:default|star|wildcard|barrel) exports?|statements|calls(?! in the)|sql|numbers"
    r"|strings"
    r"|(?:relative|star|wildcard|circular|implicit) imports?|(?:string )?literals|bare excepts?"
    r"|exceptions(?! in the)|fallbacks?|classes|blocking (?:calls?|io|code|operations?)"
    r"|barrel files?|tabs"
    # what is written and how
    r"|comments?(?! on| from)|emojis?|todos?|fixmes?|placeholders?|stubs?|mocks?|mocking|hacks?"
    r"|workarounds?|tricks|magic|print debugging|debug prints|shortcuts?|abstractions?"
    r"|abbreviations|jargon|em[- ]dashes|ai|attribution|co-authored(?:-by)?(?: lines?| trailers?)?"
    r"|markdown|whitespace|dead code|commented-out code|copy-?past\w+|duplication|duplicated code"
    r"|new files?|secrets?|god (?:classes|objects)|(?:business )?logic(?= in)"
    # steps
    r"|force|force[- ]push(?:es|ing)?|merge commits?|wip commits?|commands|deploys|refactor\w*"
    r"|migrations?|downtime|breaking|network|telemetry|analytics|features?|tables?|columns?|apis?"
    r"|changes?(?= \w)|(?:behaviou?r(?:al)?|functional|schema|api|ui|database|logic|cosmetic"
    r"|drive-by|unrelated|visual) changes"
    # whatever is so
    r"|(?:raw|direct|external|third[- ]party|inline|magic|force|breaking|hard-?coded|global"
    r"|mutable|implicit|circular|nested|wildcard|nightly|speculative|premature|silent)"
    rf" (?!access\b){_REPORTED}[\w-]+(?: {_REPORTED}[\w-]+)??|raw|direct|external|third[- ]party"
    rf"|inline"
    r"|hard-?coded)"
)
"""What may be forbidden by "no …" alone; nothing that is reported so ("no errors", "no luck")."""

ELSEWHERE: Final = (
    r"(?! (?:in|on|at|inside|under|within|for|from|of) (?:the|this|that|my|his|her|their)"
    r" (?!(?:[\w-]+ )?(?:code(?:base)?|repo(?:sitory)?|project|app|application|ui|front-?end"
    r"|back-?end"
    r"|server|client|core|kernel|api|cli|library|docs?|documentation|suite|layer|package|module"
    r"|controller|view|domain|handler|production|path|loop|history|main|master|schema|pipeline|build|pr"
    r"|ci|commit|change|branch|release|public)\b)(?:[\w.-]+ )?[\w.-]*[^\Ws]"
    r"(?:$|[,;.!]| (?:in|on|at|for|of|when|so|and|is|are|get|gets|work|works)\b))"
)
"""Behind what there is none of: not one thing that stands somewhere ("no tests in that folder")."""

NOTHING: Final = (
    r"(?!(?:luck|idea|problems?|sense|difference|effect|response|results?|output|errors?|need"
    r"|worries|rush|doubt|wonder|clue|chance|reason|time|way|one|more|longer|such|matter|use)\b)"
)
"""Before what there is none of: not a word that reports."""

CASES: Final = (
    r"(?:(?:kebab|snake|camel|pascal|title|sentence|lower|upper|screaming)[- _]?(?:snake[- _])?case"
    r"|plural|singular)"
)

FORM: Final = (
    rf"(?:{CASES}|tabs|(?:(?:\d|two|three|four|eight)[- ])?spaces?|(?:single|double) quotes?"
    r"|trailing commas?|semicolons|utc|utf-?8|iso(?:[- ]?8601| format)?|rfc ?3339|unix (?:time"
    r"|timestamps)|crlf|lf"
    r"|lf line endings|uuids?|ulids?|integers?|ints|decimals?|(?:integer )?cents"
    rf"|(?:plain |simple |british |american )?{LANGUAGE}|(?:british|american) spelling|stdlib"
    r"|(?:the )?standard library|(?:named|default) exports?|(?:absolute|relative) imports?|esm"
    r"|es modules|commonjs|function(?:al)? components?|async/await|f-strings|dataclasses|metric"
    r"|(?:plain|vanilla) (?:css|js|javascript|sql|html)|css modules|rem|conventional commits"
    r"|google style|numpy style|imperative(?: mood)?|present tense|prepared statements"
    r"|parameteri[sz]ed queries|soft deletes?|(?:lts|stable|released|pinned|exact) (?:versions?"
    r"|releases?)|(?:strict )?(?:type hints|type annotations|typing|types)|docstrings"
    r"|lower ?case|upper ?case)"
)
"""What is chosen for something that is written: each of them leaves others out."""

MODE: Final = (
    r"(?:strict(?: mode| typing| null checks| equality)?|(?:dark|light) (?:theme|mode)|metric units"
    r"|(?:constructor|dependency) injection|oxford commas?|composition|spelling|notation|naming"
    r"|\w*case|quotes?|commas|imports|units|names|syntax|logging|style|paths|mode|dates"
    r"|indentation|indents?|english)"
)
"""What may be asked for everywhere."""

_VERSIONED: Final = (
    r"(?:python|py|node(?:\.?js)?|java|jdk|go|ruby|php|rust|c\+\+|c|es|ecmascript|postgres(?:ql)?"
    r"|mysql|mariadb|react|vue|angular|svelte|django|rails|spring(?: boot)?|\.net|kotlin|swift"
    r"|typescript|ts|gcc|clang|http|tls|openapi|ios|android|windows|ubuntu|debian|edition|npm|pnpm)"
)
VERSION: Final = rf"(?:{_VERSIONED}[ -]?v?\d[\d.]*\+?(?![\w.]*\w))"
"""A language, tool or platform with its version."""

TOOL: Final = (
    rf"(?:{TOOLS}|javascript|python|node|rust|golang|kotlin|java|ruby|php|react|vue|svelte|deno"
    rf"|redis"
    r"|postgres(?:ql)?|mariadb|mongodb)"
)
"""What the work is done with, by its bare name; no browser or system: "Chrome only" reports."""

CHOICE: Final = rf"(?:{VERSION}|{FORM}|{TOOL})(?!\w)"
"""What is chosen, so that the others are left out."""

ASPECT: Final = (
    r"(?:times?|timestamps?|dates?|datetimes?|(?:date)?time ?zones?|ids?|identifiers?|keys?"
    r"|primary keys?"
    r"|names?|naming|commits?|messages?|comments?|docstrings?|docs?|documentation|logs?|strings?"
    r"|amounts?|money|prices?|currency|paths?|imports?|exports?|indentation|indents?|quotes?"
    r"|encoding|line endings?|units?|tests?|constants?|titles?|labels?|answers?|repl(?:y|ies)"
    r"|descriptions?|types?|responses?|payloads?|urls?|slugs?|files?|functions?|methods?"
    r"|variables?|classes|components?"
    r"|branches|tables?|columns?|routes?|endpoints?|styles?|changelog|copy|colou?rs?)"
)
"""What about the work there is such a choice of."""

SIZED: Final = (
    r"(?:lines?|functions?|methods?|files?|modules?|classes|components?|prs?|pull requests?"
    r"|commits?"
    r"|commit messages?|subject lines?|subjects?|titles?|docstrings?|diffs?|handlers?|hooks?"
    r"|answers?)"
)
"""What may only be so long."""
UNIT: Final = (
    r"(?:lines|columns?|cols?|chars?|characters|words|parameters|params|arguments|args|levels|loc"
    r"|files)"
)
"""In what length is told, when it is a rule: no seconds, no megabytes."""
NUMBER: Final = (
    r"(?:\d[\d,]*(?:\s?[-–]\s?\d+)?|two|three|four|five|six|ten|twelve|twenty|thirty|forty|fifty"
    r"|a hundred)"
)
