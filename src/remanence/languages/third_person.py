"""How a statement in the first person is said of someone else, where that can be done by words alone. Data only."""

from remanence.languages.lexicon import words

# Unchanged, whoever does it.
ENGLISH_MODALS = words("""
    can can't cannot could couldn't will won't would wouldn't should shouldn't must mustn't may might did didn't
    had hadn't was wasn't
""")
ENGLISH_ADVERBS = words("""
    never always often usually really also still just actually only currently now rarely sometimes mostly
    already recently
""")
ENGLISH_FORMS = {
    "am": "is", "have": "has", "haven't": "hasn't", "do": "does", "don't": "doesn't", "go": "goes", "study": "studies",
    "carry": "carries", "teach": "teaches", "watch": "watches", "miss": "misses", "wish": "wishes", "try": "tries",
    "worry": "worries", "fly": "flies", "relax": "relaxes", "fix": "fixes", "coach": "coaches",
}  # fmt: skip
ENGLISH_CONTRACTIONS = {"i'm": "is", "i've": "has", "i'll": "will"}
# They take an s, and none of them is its own past.
ENGLISH_VERBS = words("""
    adore avoid bake believe belong bring build buy call change climb code collect come commute cook cover cycle
    dance deliver design despise detest develop dislike draw drink drive earn eat enjoy expect face feel find
    follow garden get give grow handle hate help hike hope join jog keep know lead learn leave like listen live
    loathe look love maintain make manage meet mentor move need offer organise organize owe own paint pay plan
    play practise practice prefer prepare program promise publish repair report represent ride run sail say see
    sell send serve sew sing sit sketch sleep smoke speak spend start stay suffer support swim take talk tend
    think train translate travel type understand use visit volunteer wait walk want wear weigh work write
""")
# Their own past: after "and" nobody can tell which they are.
ENGLISH_UNCLEAR = words("read put set cut let hit cost quit shut spread beat hurt bet")
# Before "I" they turn the sentence around.
ENGLISH_TURNING = words(
    "am do did have was will can so nor neither should would could had may might must than as"
)
ENGLISH_PLURAL = words("we us our ours ourselves we're we've we'll we'd i'd myself mine im ive let's")
GERMAN_FORMS = {
    "bin": "ist", "habe": "hat", "hatte": "hatte", "war": "war", "werde": "wird", "kann": "kann", "muss": "muss",
    "soll": "soll", "will": "will", "mag": "mag", "darf": "darf", "weiß": "weiß", "möchte": "möchte", "wohne": "wohnt",
    "arbeite": "arbeitet", "lebe": "lebt", "komme": "kommt", "spiele": "spielt", "lerne": "lernt", "brauche": "braucht",
    "mache": "macht", "kaufe": "kauft", "liebe": "liebt", "hasse": "hasst", "trinke": "trinkt", "heiße": "heißt",
    "studiere": "studiert", "nutze": "nutzt", "esse": "isst", "spreche": "spricht", "fahre": "fährt",
    "schicke": "schickt", "bevorzuge": "bevorzugt", "verdiene": "verdient", "übernehme": "übernimmt", "nehme": "nimmt",
}  # fmt: skip
GERMAN_OTHERS = words(
    "mich mir mein meine meinem meinen meiner meines wir uns unser unsere unserem unseren unserer"
)
CHINESE_OTHERS = ("我们", "我們", "自我", "我国", "我國", "忘我", "我行我素")
JAPANESE_PERSONS = ("私", "僕", "俺", "わたし", "ぼく")
JAPANESE_PARTICLES = ("は", "の", "が", "も", "を", "に")
