"""The dashboard: pages that show what a memory keeps and lets go, and forms that call its verbs.

Knows pages, forms and browsers; decides nothing about a memory.
"""
