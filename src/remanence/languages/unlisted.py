"""Frequent words of languages without word lists here, by which a text shows that it is in one of them. Data only."""

from remanence.languages.lexicon import words

# No word of a language that has its lists: neither the `van` of the Dutch nor the `mai` of the Italians.
UNLISTED = words("""
    che gli della delle degli dello nel nella sono anche più perché questo questa molto essere stato
    het een niet zijn voor naar ook wordt hebben heeft maar deze zij hij waren uit
    och att det som inte för är har jag till på mycket eller
    ikke og jeg til fra skal være blev hvad
    ole hän että mutta kun niin minä sinä joka
    nie jest się że jak czy tego był była dla przez jako
    není ale také byl byla který jsem jsou
    nem hogy az egy és volt meg csak mint
    și este pentru din sunt acest această fără
    bir ve bu için değil çok daha olarak gibi
    yang dengan untuk tidak dari itu adalah akan
    và của là không được những này trong một
    kwa katika hii yake hiyo lakini
    ang ng mga hindi siya ako
    amb però aquest aquesta també dels
    yra kad kaip tačiau
""")
