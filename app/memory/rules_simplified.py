"""Traditional Chinese as simplified, sign by sign, so that one set of patterns reads both.

For matching only: what is kept and shown stays as it was written. The signs are those of the words
by which rules are known, and those that a user's rules are often about.
"""

import re
from typing import Final

_TRADITIONAL: Final = (
    "別請須務許準嚴絕對遠動刪變後從現還測試註釋檔碼寫讀應該這個們會說講問給為麼嗎過時無論條規則統總維來據庫證"
    "確認簡單語漢內標驗當錯誤並導進執運構檢調換銷廢棄義實習慣約項專儘盡團隊覺幾兩點開關於與僅隨經資網頁題縮類"
    "數參風產環啟暫臨擔顯輸處難樣壞終綠記戶佈發傳載裝譯編輯體線聽誰沒觸響壓違範圍潔齊連續層級轉區選擇屬電腦"
    "鎖緩衝權審鑰亂簽歸併狀態設計圖響應報錄鏈輕獨誌間"
)
_SIMPLIFIED: Final = (
    "别请须务许准严绝对远动删变后从现还测试注释档码写读应该这个们会说讲问给为么吗过时无论条规则统总维来据库证"
    "确认简单语汉内标验当错误并导进执运构检调换销废弃义实习惯约项专尽尽团队觉几两点开关于与仅随经资网页题缩类"
    "数参风产环启暂临担显输处难样坏终绿记户布发传载装译编辑体线听谁没触响压违范围洁齐连续层级转区选择属电脑"
    "锁缓冲权审钥乱签归并状态设计图响应报录链轻独志间"
)
_SIGNS: Final = dict(zip(_TRADITIONAL, _SIMPLIFIED, strict=True))
_WORDS: Final = (("回覆", "回复"), ("回復", "回复"), ("答覆", "答复"), ("程式", "程序"))
"""Words with a sign that stays in others: 覆蓋."""
_FIND: Final = re.compile(f"[{_TRADITIONAL}]")


def simplified(text: str) -> str:
    """The text with its traditional signs simplified; as long as it was.

    Args:
        text: in any language.
    """
    if text.isascii():
        return text
    for word, simple in _WORDS:
        text = text.replace(word, simple)
    return _FIND.sub(lambda found: _SIGNS[found[0]], text)
