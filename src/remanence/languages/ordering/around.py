"""Small words of five languages that tell how others stand: what a command may follow, whom it is for. Data only."""

# Words after which a command may follow, where one came before.
JOINS = frozenset(
    """and then please but or first now instead und dann bitte y e luego et puis ensuite depois então""".split()
)
# Words for a message, and to or for whom it is.
NOTES = frozenset(
    """
    note notes notice message hint attention memo for to hinweis notiz nachricht achtung botschaft an für nota aviso
    mensaje mensagem atención atenção para avis remarque pour aux à
""".split()
)
ANYBODY = frozenset(
    """
    all any every each other helpful alle jeder jede todos todas cualquier cada tous toutes tout chaque qualquer
    quaisquer
""".split()
)
GREETINGS = frozenset(
    """
    hello hi hey dear attention greetings hallo liebe lieber achtung hola querida querido estimada atención bonjour
    chère cher salut olá oi cara caro prezada atenção
""".split()
)
MODALS = frozenset(
    """
    will shall must should may can wirst sollst musst darfst sollen müssen debes deberás puedes dois devras devez
    deves deverás pode deve
""".split()
)
PERSONS = frozenset("you du sie tú vous tu você usted".split())
