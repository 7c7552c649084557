"""Names that programs are spoken of by, in the languages that have word lists here. Data only, all lower-case."""

# Nobody is called so but a program that answers.
ASSISTANTS = frozenset(
    """
    assistant assistent assistentin asistente assistente bot chatbot agent agente chatgpt gpt copilot openai llm
    """.split()
)
SYSTEMS = frozenset("system sistema système systeme".split())
# Programs are called so, and people or pets are: what they say decides.
DOUBTFUL = frozenset(
    """
    ai aria bard bing claude clara cortana echo ernie gemini grok hal jarvis kimi llama mistral nova phi pi qwen sage
    samantha sydney siri watson alexa
    """.split()
)
# What stands beside such a name and names nobody by itself.
BESIDE = frozenset("ai artificial digital virtual the my our your ki ia".split())
