"""What only looks like a standing rule: questions, reports, conditions, what is for now."""

from typing import Final

from app.memory.rules_lazy import Lazy

ASKS: Final = Lazy(
    r"(?:(?:so|and|but|ok(?:ay)?|well|hmm+|wait|hey|also|then|or)[,\s]+)*"
    r"(?:why|how(?! you\b)|what(?! (?:i|we) (?:want|need|care))|who|whom|whose"
    r"|where(?! (?:possible|appropriate|applicable|(?:you|we|it) can))|which|when (?:do|does|did"
    r"|should|will|can|is|are)"
    r"|should(?! you need)|shall|does|did|is|are|was|were|am|may|might|has|have (?:you|we|i|they)"
    r"|do (?:we|you|i|they|these|those|the)|must (?:i|we|it|they)|can (?:i|we|it|they|this|that)"
    r"|could (?:i|we|it|they|this|that)|would (?:it|that|this|we)|will (?:it|this|that|they|we)"
    r"|isn't|aren't|wasn't|don't (?:we|you(?! (?:dare|ever))|i|they)\b|doesn't|didn't|can't"
    r"|couldn't|shouldn't"
    r"|won't|wouldn't|hasn't|haven't)\b"
)
"""A question, by how it begins."""

POLITE: Final = Lazy(
    r"(?:(?:so|and|but|ok(?:ay)?|also|then|hey)[,\s]+)*(?:can|could|will|would) you\b"
    r"(?! (?:recommend|say|explain|tell|think|use\b(?!.*\b(?:only|always|without)\b)))"
)
"""A request that has the form of a question."""

SAYS: Final = (
    *("say", "said", "claim", "state", "wrote", "read", "told", "mention", "argue"),
    *("according", "supposedly", "apparently", "complain", "insist", "saying", "warn"),
    *("polic", "guideline", "require", "terms", "forbid", "prohibit"),
    *("message is", "message was"),
)
"""Of a report one of these stands in the sentence, in lower case."""

_SAYS = (
    r"(?:says?|said|claims?|claimed|states?|stated|wrote|reads?|told (?:me|us)|mentions?|argues?"
    r"|complain(?:s|ed)|insist(?:s|ed)|keeps? saying|warn(?:s|ed))"
)

_OPENS = r"(?:Always|Never|Please|Only|Do|Don|Then|Also|And|But|Just|First|Comments|Tests|Code)\b"
"""Words that begin a sentence and are nobody's name."""

REPORTED: Final = Lazy(
    rf"\b(?:he|she|they|someone|somebody|people|docs?|documentation|readme|manual|boss|manager"
    rf"|customer|client|reviewer|linter|compiler|error|message|log|output|article|blog|issue"
    rf"|colleague|coworker|guide|spec|test|comment"
    rf"|(?-i:(?!{_OPENS})[A-Z][a-z]+))\s+(?:\w+\s+)?{_SAYS}\b"
    rf"|\baccording to\b|\bsupposedly\b|\bapparently\b|\bmessage (?:is|was)\b"
    r"|(?<!\bour )(?<!\bmy )(?<!\bin )\b(?:polic(?:y|ies)|terms|guidelines?|style guide|standard"
    r"|licen[cs]e) "
    r"(?:of (?!our\b|my\b|this\b)|(?:require|forbid|prohibit|demand)s?\b)"
    r"|\b(?:their|his|her) (?:[\w-]+ )?(?:polic(?:y|ies)|guidelines?|style guide|rules?)\b"
    rf"|,\s*(?:so )?{_SAYS} (?:the |my |our |an? )?\w+\s*$"
)
"""It tells what somebody says; what follows it is theirs, what stands before it isn't."""

CONCLUDES: Final = Lazy(r"[,;]\s*(?:so|hence|therefore|which is why)\b|所以|因此")
"""Behind a report: what follows is the user's own again."""

EXPLAINS: Final = Lazy(
    r"\b(?:that's|that is|and that's|and this is) (?:the|a|your|our) (?:bug|problem|issue)\b"
    r"|[,;]\s*(?:please |so )*(?:add|implement) (?:an? )?(?:check|validation|guard|that|it|this)\b"
    r"|[,;] (?:it|that|this) (?:causes?|caused|breaks|broke) (?:the|this|that)\b"
    r"|导致[^。；]{1,14}[，,]\s*(?:请|帮我)?[修改]一下\s*$"
    r"|[，,]\s*(?:都|全)?(?:删|去|拿|撤)(?:了|掉)吧?\s*$"
    r"|\bwhich (?:explains|is why)\b|\band (?:that|this)(?:'s| is) (?:where|why|when)\b"
    r"|这(?:就|才)?是(?:个|一个)?\s*(?:bug|问题|毛病)|难怪"
    r"|(?:bug|问题|毛病)就?出?在这|这是(?:现在|目前|原来)的(?:逻辑|行为|做法)|就是(?:在"
    r"|从)\S{1,6}(?:丢|错|坏|挂|断|崩|卡|漏|没|改|来)的"
    r"|[，,]\s*(?:这里|现在|却)?(?:点了)?没(?:有)?(?:反应|跳转|生效|效果)|[，,]\s*(?:一直|总是"
    r"|会|就)?报(?:错(?:了\s*)?$|\s*\d{3})"
    r"|[，,]\s*(?:请|帮我|麻烦)?(?:你)?(?:实现|加|做)(?:一下|上)(?:这个\S{1,4})?\s*$"
    r"|的(?:检查|校验|规则|限制|提示|弹窗|按钮)(?:加|去掉|删|补)"
)
"""Behind what looks like a rule: it was a report."""

CONTRARY: Final = Lazy(
    r"\bbut (?:it|they|this|that) (?:is|does|do|are|did|has|have|still|currently"
    r"|was|were|doesn't|ran|went|took|came|got|failed|returned|showed|stopped)\b"
    r"|\bbut (?:i|we|users?) (?:don't|do not|can't|cannot|didn't|still|never)\b(?! (?:mind|care"
    r"|want"
    r"|like|need))"
    r"|\b(?:should|must|ha(?:ve|s) to)\b[^,;]*\bbut (?:go(?:es)?|are|is|gets?|ends? up|comes?"
    r"|returns?|shows?|stays?)\b"
    r"|[,;] (?:but )?(?:right now|currently|at the moment) (?:it|they|we|the)\b"
)
"""How something should be but isn't: a report."""

SPECIFIES: Final = Lazy(
    r"^(?:please\s+)?(?:add|implement|write|create|build|show|list|explain|find"
    r"|return)\b.*\b(?:that|which|where|saying|whether)\b"
    r"|\bvalidat(?:or|ion|es?)\b|\b(?:what|who|which(?: \w+)?)\s*$"
    r"|\b(?:the|this|that|a|an|each) (?:[\w-]+ )?(?:button|dialog|page|function|method|form|field"
    r"|user|regex|widget|modal|menu|loop|toggle|checkbox|link|icon|screen|popup|tooltip)\s*$"
)
"""Before "must": what a piece of the work is to check, not a rule for the work."""

TEMPORARY: Final = Lazy(
    r"\byet\b|\bnot now\b|\bright now\b|\bfor now\b|\bfor the (?:moment"
    r"|time being)\b|\bat the moment\b"
    r"|\bthis (?:time|once)\b"
    r"|\b(?:for|in|on|during|with|at) this (?:run|round|pass|one|step|summary|occasion|case"
    r"|instance|question|draft|attempt|try)\b|\btoday\b|\btonight\b|\bjust now\b|\bjust once\b"
    r"|\btomorrow\b"
    r"|\bnow\b\s*$|\buntil (?!i\b|we\b|further|told|approv)|\bwhile i\b"
    r"|(?<!me )(?<!ask )(?<!approval )(?<!permission )(?<!consent )(?<!review )(?<!ok )"
    r"(?<!sign-off )(?<!dry run )(?<!backup )(?<!confirmation )\bfirst\b\s*$"
)
"""Holds for a while only, so it doesn't stand: "not yet", "for now". "Until I say so" stands."""

CONDITION: Final = Lazy(
    r"\b(?:if|unless|in case|assuming|suppose|supposing|when|since|because"
    r"|although|whether)\b[^,;:(]*$"
)
"""Before what looks like a rule: it stands in the condition, not in what is asked for."""

ONCE: Final = Lazy(
    r"^(?:if|when|once)\b[^,;]{0,80}\b(?:again|still|this time)\b"
    r"|^(?:如果|要是|假如|若)[^，,。]{0,30}?(?:又|再次|还是|仍)"
)
"""A sentence that begins with what may happen to the thing at hand."""

SUBJECT: Final = Lazy(r"\b(?:i|we|it|they|he|she|which|that|who|this|there)\b[^,;:]*$")
"""Before a linking word: what follows is said of somebody, not to somebody."""

SPECIFIES_ZH: Final = Lazy(
    r"(?:按钮|弹窗|对话框|页脚|页头|输入框|复选框|菜单|侧边栏|导航栏|下拉框|进度条"
    r"|第[一二三四五六七八九十\d]+[列行个])[^，。；]{0,4}$"
)
"""The same in Chinese; of all buttons it may well be a rule."""

OCCURS: Final = Lazy(
    r"\s(?:(?:i|we) (?:just |still |always )?(?:get|got|can|can't|cannot|see|saw|had)"
    r"|it (?:works?|fails?|crash\w*|is|was|runs?|doesn't|hangs))\b"
)
"""Behind "without …" at the front of a sentence: a report."""

FACTUAL: Final = Lazy(
    r"\b(?:works?|worked|fail\w*|crash\w*|happen\w*|can't|cannot|couldn't"
    r"|impossible|possible|there (?:is|are)|he|she|someone|somebody"
    r"|i (?:did|was|tried|can|could)|it (?:is|was|can|should|did|runs?)"
    r"|you (?:did|were|have)|they)\b"
)
"""Before "without …": a report."""

ASKS_ZH: Final = Lazy(
    r"(?:吗|么|呢|嘛)\s*$|要不要|是不是|能不能|可不可以|可否|该不该|需不需要|需要不需要|是否|会不会"
    r"|有没有|为什么|为何|为啥|怎么|咋|如何|什么时候|哪[些个种]|谁[说让]|行不行$"
    r"|对不对$|对吧|不是吧"
)

REGARDLESS_ZH: Final = Lazy(
    r"(?:无论|不论|不管)[^，。；]{0,10}?(?:如何|怎[么样]|哪[些个种]|谁[说让]|是否|是不是)"
    r"|写(?:清楚?|明白?|出)?(?:是)?(?:为什么|怎么|什么)(?=[，,。]|$)"
)
"""A word of asking behind one of these asks nothing."""

LETS_ZH: Final = Lazy(
    r"(?:了|时|后)(?:就|再)?让\s*(?![你我咱])"
    r"|^(?:请|帮我)?(?:[给在往][^，。；]{1,12})?(?:写|加|实现|做|新增|添加"
    r"|创建)一?[个条段][^，。；]{0,10}(?:钩子|校验|规则"
    r"|检查|限制)[，,]"
)
"""Before what looks like a rule: what a piece of the work is to do."""

MENDS_ZH: Final = Lazy(
    r"[，,]\s*(?:请|帮我|麻烦)?[修改拆看查]一下\s*$|[，,]\s*(?:但|可)?(?:现在|目前|实际)(?![开起])"
    r"|[，,]\s*太\S{1,5}了\s*$|[，,]\s*(?:我?也?(?:不知道|不清楚|搞不懂))(?:是)?(?:为|怎|哪|什么)"
)
"""Behind how something must be: it isn't, and is to be mended."""

CONTRARY_ZH: Final = Lazy(
    r"[，,；]\s*(?:但是?|可是?|不过|然而|结果|却|偏偏)(?!别|不要|不能|不许|请)[^。；]{0,24}?"
    r"(?:了(?!解)|没有?(?!.{0,12}的话)|报错|失败|不对|不是|居然|竟然|有重复|现在不|却)"
)
"""Behind how something must be: it isn't."""

TAG_ZH: Final = Lazy(r"[,，\s]*(?:好吗|好不好|(?<!才)行吗|可以吗|好么|行不行|好嘛)\s*$")
"""Said after a request, it doesn't ask."""

REPORTED_ZH: Final = Lazy(
    r"(?:他们?|她们?|有人|别人|同事|老板|领导|客户|产品经理|产品|文档|官方|官网"
    r"|网上|教程|博客|手册|报错"
    r"|提示|日志|审查|评审|测试同学|README)(?:(?!不)\S){0,8}?(?:说|要求|建议"
    r"|(?<![大小全缩])(?<!报错)写着?|提示"
    r"|显示|告诉|认为|觉得|指出)"
    r"|(?:他|她|它|对方|人家|别人|甲方|第三方)们?(?:的|公司|团队|那边)\S{0,6}?(?:规范|规定|要求"
    r"|规则|习惯)"
    r"|据说|听说|违反|违背|原来的规则|报错(?:信息(?:是|说|为|里|[:：])|说|[:：])|提示信息(?:是"
    r"|为|[:：])"
)

BOUND_ZH: Final = Lazy(
    r"(?:把|将)?\S{0,6}?(?:列出|列举|罗列|展示|展现|显示|呈现|堆砌|堆|出现|贴|放|讲"
    r"|写[得的成]|搞[得的成]|弄[得的成]|做[得的成]|画|那么|这么)"
)
"""Behind "don't" in Chinese: how one text or page is to look."""

BOUND: Final = Lazy(r"(?:list|show|display|include|mention|explain|present|illustrate)\b")
"""The same in English: the verb."""

COMPLAINS: Final = Lazy(
    r"太(?:过于?)?(?:丑|烂|差|乱|啰嗦|啰唆|长|复杂|难看|抽象|详细|简单|简陋|花|土|挤|空|水|细"
    r"|多字|敷衍)"
    r"|一坨|垃圾|像屎|不好看|不美观|看不懂|难看|什么玩意|什么鬼|看着难受"
    r"|\b(?:is|are|looks?|reads?|so|too|really)\s+(?:\w+\s+)?(?:ugly|terrible|awful|horrible"
    r"|messy|bad|confusing|cluttered|verbose|wordy|unreadable)\b"
)
"""A complaint about something that was made: what is said beside it is for that."""

AT_FILE: Final = Lazy(r"\s*@[^\s@]*[./][^\s@]*\s")
"""A message that begins with a file: it is about that file."""

LASTS: Final = Lazy(
    r"以后|今后|往后|从现在|从今|一律|永远|始终|每次|每个|任何|所有|总是|再也|再次?[列展显贴讲放]"
    r"|回[答复]|答复|提交|\b(?:always|never|ever|again|from now on|every|any|all|each|answers?"
    r"|repl(?:y|ies)|responses?|commits?|messages?|in future|going forward)\b"
)
"""Of a wish with one of these it is said that it lasts."""

TEMPORARY_ZH: Final = Lazy(
    r"先[别不]|暂时|暂且|暂不|目前先|现在[先别不]|等会|待会|这次|这一次|本次先"
    r"|这[份篇封段页张][^，。；]{1,8}?(?:不要|别)(?:超过|太|写)|(?<!从)今天|今晚|还不要|还别|稍后"
    r"|这一?回|这一?轮|本轮|这一?趟"
    r"|临时|眼下|不要急|别急|先停(?!下来?问)|先等|等一下|等等[,，]|稍等"
)

FOREVER_ZH: Final = Lazy("以后|一律|永远|始终|每次")
"""What says of a sentence with one of those that it stands all the same."""

CONDITION_ZH: Final = Lazy(
    r"如果|要是|假如|假设|若|因为|由于|为了|既然|为什么|我(?:可以|能)?$|^(?:他|她)"
    r"|以前|原来|曾经|本来|当时|那时|[上前]一?[个家份](?:项目|公司|团队|东家)|前东家|去年|过去"
    r"|当初|早知道"
    r"|^(?:之前|先前|早先|昨天|上次)|也许|或许|大概|可能(?:应该|要)"
    r"|(?:写|加|实现|做|新增|添加|创建|生成)(?:一(?:个|条|段|篇|份|种|套)"
    r"|[个条段篇份])[^，。；：,;:]*$"
)
"""Before what looks like a rule, in its clause: a condition, how it was, a thought, or a piece of
the work that holds such a rule ("add a check that ...")."""

CHOSEN_ZH: Final = Lazy(
    r"(?:改成|换成|换一?个|改为|调成|做成|挪到|移到|放到|放在"
    r"|放(?=[左右上下中]))[^。；]{1,16}[，,]\s*"
    r"(?:不要|别)(?!再?(?:改|动|碰|删|引入|破坏|影响|加|提交|推|用))"
)
"""One thing is to look or stand so and not so: nothing that lasts."""
