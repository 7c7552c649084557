COLUMNS=();URL=COMMIT=""
class CasesUnknown(Exception): pass
def fetch_cases(*a): pass
def load_cases(p): return []
