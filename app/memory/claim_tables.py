"""Words by which two facts are told to say different things of one subject, in both languages."""

from collections.abc import Mapping


def words(text: str) -> frozenset[str]:
    """Words, written in a few lines."""
    return frozenset(text.split())


def _groups(lines: str) -> dict[str, str]:
    """Each word of a line, to the first of that line."""
    found: dict[str, str] = {}
    for line in lines.strip().splitlines():
        first, *rest = line.split()
        found |= dict.fromkeys((first, *rest), first)
    return found


SYNONYMS: Mapping[str, str] = _groups(
    """
    phone 电话 手机 手机号 手机号码 电话号码 电话号 联系电话 telephone mobile
    email 邮箱 邮箱地址 电子邮箱 电子邮件 邮件地址 e-mail
    height 身高 个子 个头
    age 年龄 岁数
    birthday 生日 过生日 出生日期
    name 名字 姓名 名叫 叫 叫做 名为 named called
    hometown 家乡 老家 籍贯
    workplace 上班 工作 工作地 工作地点 就职 任职
    degree 学历 毕业
    home 住 住址 居住 live lives living
    deploy 部署 deployed deploys
    java jdk openjdk
    postgresql postgres psql
    javascript js
    typescript ts
    node nodejs node.js
    go golang
    python py
    kubernetes k8s
    vscode vs-code code-insiders
    英文 英语 english
    中文 汉语 chinese
    日文 日语 japanese
    tab tabs 制表符
    space spaces 空格
    数据库 database db
    缩进 indent indentation indenting
    注释 comment comments
    """
)
"""Words that are one to us, and the name of the slot where they name one."""

VERSIONED = words(
    "java jdk openjdk python py node nodejs go golang ruby php kotlin scala swift rust gcc "
    "maven gradle mysql postgresql postgres redis django flask react vue angular spring"
)
"""`java17` is `java 17`; other words keep their digits."""

FILLERS = words(
    # Particles, pronouns, adverbs
    "的 了 呢 啊 吧 吗 啦 哦 嘛 着 过 地 得 之 也 都 就 才 只 只有 已经 已 还 又 很 挺 挺高 高 "
    "今年 现在 "
    "目前 当前 今后 以后 下周 当初 我 我们 咱们 你 你们 他 她 它 他们 那个 那 这 这个 一个 个 "
    "本 该 某 号 "
    "始终 总是 一律 统一 务必 一定 请 把 将 被 进行 到 从 和 与 及 或 里 中 上 时 所有 有 "
    "只读 读 念 就念到 读到 地方 名 版本 那块儿 块儿 就是 大概 大约 约 "
    # What may, what must: negation alone turns it round
    "必须 应该 应当 应 需要 须 需 可以 可 能 能够 会 要 允许 准许 "
    # Whose: the project of the fact, where nobody else is named
    "项目 本项目 工程 仓库 团队 "
    "a an the this that these those be been being am was were do does did it its he she they them "
    "his her their our my your we i you us me of to in on at for with by from and or as so then "
    "there some any someone somebody everyone please must should shall can may could would will "
    "always just only also very has have had allowed project repo repository codebase team version "
    "now currently every all other one"
)
"""Words without a subject of their own."""

USES = words(
    "用 使用 采用 选用 改用 沿用 保持 维持 做 作 当 use uses used using keep keeps stay stays"
)
IS = words("是 为 在 叫 name is are")
"""Between a subject and its value; `叫` is `name` once read."""

NEGATORS = words(
    "不 没 没有 不要 不能 不会 不用 不得 不可 不许 不准 不想 不必 不再 不该 别 勿 切勿 请勿 无 "
    "无需 毋 非 "
    "从不 绝不 决不 禁止 严禁 避免 不是 不可以 不应 不应该 不需要 禁用 "
    "not no never nobody nothing none neither nor without avoid forbidden prohibited cannot"
)
"""Each a word of its own: 别名 and 不同 negate nothing, which is why words must be known."""

TURNS = words("忘记 忘 忘了 跳过 省略 forget skip omit miss avoid without 避免")
"""Right after a negator they take it back: don't forget to."""

CONDITIONS = words("如果 若 如 假如 要是 除非 if unless when")
CONDITIONS_END = words("就 则 那么 then")
"""Between them something is only supposed."""

ANTONYMS: tuple[tuple[str, str], ...] = tuple(
    (first, second)
    for line in """
    开启 关闭;打开 关闭;启用 停用;启用 关闭;开启 停用;同步 异步;公开 私有;公开 保密;升序 降序
    深色 浅色
    亮色 暗色;深色 亮色;浅色 暗色;允许 拒绝;增加 减少;加入 移除;添加 删除;之前 之后;以前 以后
    前 后;单引号 双引号
    手动 自动;内网 外网;本地 远程;严格 宽松;大写 小写;上午 下午;室内 室外;左 右;左边 右边;早 晚
    喜欢 讨厌;支持 反对
    详细 简短;详细 简洁;长 短;线上 线下;有状态 无状态;可选 必填;必选 可选
    enable disable;enabled disabled;on off;allow forbid;allow deny;allowed forbidden;accept reject
    public private;before after;inside outside;indoors outdoors;up down;above below;single double
    sync async;synchronous asynchronous;dark light;manual automatic;manually automatically
    ascending descending;like dislike;like hate;love hate;include exclude;open close;opened closed
    start stop;local remote;mutable immutable;optional required;strict lenient;verbose concise
    short long;uppercase lowercase;left right;add remove;increase decrease;push pull
    internal external
    empty full;wet dry;big small;large small;fast slow;slowly quickly;loud quiet;awake asleep
    """.replace("\n", ";").split(";")
    if line.strip()
    for first, second in [line.split()]
)
"""Two words of which one subject has one (both tidied and stemmed where they are compared)."""

CATEGORIES: Mapping[str, frozenset[str]] = {
    "build": words("maven gradle ant bazel sbt mvn"),
    "node packages": words("npm yarn pnpm bun"),
    "python packages": words("pip poetry uv pdm pipenv conda"),
    "database": words("mysql postgresql sqlite oracle mariadb mongodb mssql sqlserver"),
    "python tests": words("pytest unittest nose"),
    "script tests": words("jest vitest mocha jasmine"),
    "java tests": words("junit testng"),
    "python format": words("black yapf autopep8"),
    "editor": words("vim neovim emacs vscode idea intellij pycharm sublime"),
    "shell": words("bash zsh fish powershell"),
    "tongue": words("中文 英文 日文"),
    "indent": words("tab space"),
    "host": words("github gitlab gitee bitbucket"),
    "frontend": words("react vue svelte angular"),
    "web": words("django flask fastapi"),
    "containers": words("docker podman"),
    "case": words("snake_case camelcase kebab-case pascalcase"),
    "merge": words("squash rebase"),
}
"""What a project has one of; languages and libraries it may have many, so they are not here."""

CATEGORY_NAMES: Mapping[str, frozenset[str]] = {
    "build": words("构建 构建工具 编译 工具 build tool system"),
    "node packages": words("包 管理器 包管理器 包管理 管理 依赖 工具 package manager tool"),
    "python packages": words("包 管理器 包管理器 包管理 管理 依赖 工具 package manager tool"),
    "database": words("数据库"),
    "python tests": words("测试 框架 test testing framework runner"),
    "script tests": words("测试 框架 test testing framework runner"),
    "java tests": words("测试 框架 test testing framework runner"),
    "python format": words("格式化 工具 formatter format tool"),
    "editor": words("编辑器 editor ide"),
    "shell": words("终端 shell"),
    "tongue": words("语言 language"),
    "indent": words("缩进"),
    "host": words("托管 代码 code host hosted"),
    "frontend": words("前端 框架 frontend framework"),
    "web": words("框架 web framework"),
    "containers": words("容器 container"),
    "case": words("命名 naming name"),
    "merge": words("合并 merge"),
}
"""Words that say no more than the value does: a database is MySQL."""

ATTRIBUTES = words(
    "name hometown workplace degree home deploy 用户名 分支 时区 许可证 主题 入口 负责人 框架 "
    "目录 路径 地址 域名 城市 职业 "
    "公司 语言 编码 风格 主键 数据库 编辑器 构建工具 缩进 格式 语气 模型 服务器 环境 注释 "
    "username branch timezone license theme owner maintainer framework folder directory path "
    "address "
    "domain city job company language encoding style editor formatter linter server model region "
    "color colour nickname deadline port"
)
"""Of which one subject has one at a time; not likes and skills, of which it has many."""

PERSONAL = words("name hometown workplace degree home")
"""Slots whose word may stand after the value: 在杭州上班."""

IDIOMS = words(
    "不同 不断 不仅 不但 不过 不错 不久 不止 不只 不足 不少 不良 不等 不如 不论 不管 不限 不定 "
    "不变 不然 不料 不妨"
)
"""Words that begin with 不 and deny nothing, or are one with it."""

DEGREES = words("小学 初中 中专 高中 专科 大专 本科 硕士 博士 研究生")

PROVINCES = words(
    "河北 山西 辽宁 吉林 黑龙江 江苏 浙江 安徽 福建 江西 山东 河南 湖北 湖南 广东 海南 四川 "
    "贵州 云南 陕西 "
    "甘肃 青海 台湾 内蒙古 广西 西藏 宁夏 新疆"
)
"""Beside a city they say nothing of their own."""

IMPLIED: Mapping[str, frozenset[str]] = {
    "phone": words("phone"),
    "email": words("email"),
    "length": words("height"),
    "age": words("age"),
}
"""Names of slots that a typed value carries in itself."""

UNITS: Mapping[str, tuple[str, str]] = {
    unit: (kind, factor)
    for kind, factor, units in (
        ("age", "1", "岁"),
        ("length", "0.001", "毫米 mm"),
        ("length", "0.01", "厘米 公分 cm"),
        ("length", "1", "米"),
        ("length", "1000", "公里 千米 km"),
        ("mass", "1", "公斤 千克 kg"),
        ("mass", "0.5", "斤"),
        ("duration", "0.001", "毫秒 ms"),
        ("duration", "1", "秒 秒钟 s sec secs second seconds"),
        ("duration", "60", "分钟 min mins minute minutes"),
        ("duration", "3600", "小时 个小时 h hr hour hours"),
        ("duration", "86400", "天 d day days"),
        ("duration", "604800", "周 星期 个星期 week weeks"),
        ("months", "1", "个月 month months"),
        ("months", "12", "年 year years"),
        ("size", "1", "kb"),
        ("size", "1024", "mb"),
        ("size", "1048576", "gb"),
        ("percent", "1", "%"),
        ("money", "1", "元 块钱"),
        ("count", "1", "个 次 行 层 位 条 人 字符 字 times lines characters chars columns px"),
    )
    for unit in units.split()
}
"""A unit, to its kind and what it is in the smallest one."""

ENGLISH_NUMBERS: Mapping[str, str] = {
    word: str(number)
    for number, word in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=2
    )
}
