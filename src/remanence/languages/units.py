"""Symbols of units that are another unit in other letters: Mb and MB, mW and MW. Data only."""

from remanence.languages.lexicon import words

UNITS = words("mb gb kb tb pb mw gw kw mg mm ms ma mv mj mh mhz mpa pa gy sv ev nm")

# What is counted or measured in, in all languages at once: two prices are no more about one thing than two numbers.
UNIT_WORDS = words("""
    euro euros eur dollar dollars usd pound pounds gbp quid cent cents pence franc francs chf franken peso pesos real
    reais yen kronor kronen crown crowns dólar dólares libra libras pfund livre livres zloty rupee rupees
    percent prozent procent percentage
    metre metres meter meters metro metros mètre mètres kilometre kilometres kilometer kilometers kilómetro kilómetros
    quilômetro quilômetros kilomètre kilomètres mile miles meile meilen milla millas feet foot inch inches centimetre
    centimetres centimeter centimeters zentimeter centímetro centímetros centimètre centimètres millimetre millimetres
    millimeter millimeters kilo kilos kilogram kilograms kilogramm gram grams gramm gramo gramos gramme grammes grama
    gramas tonne tonnes ton tons tonne tonnen tonelada toneladas litre litres liter liters litro litros degree degrees
    grad grado grados grau graus degré degrés celsius fahrenheit gigabyte gigabytes megabyte megabytes watt watts
    km kg cm mm ml cl kcal kwh gb mb tb
""")
