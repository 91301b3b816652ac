"""What each narrative sounds like: one document a code for classifiers that see few examples.

The phrases are this project's own, written after the names of the taxonomy. A code of another
taxonomy that is not listed here is described by its name alone.
"""

from climatecheck import taxonomy

_PHRASES = {
    "0_0": (
        "climate change is real and caused by greenhouse gas emissions, scientists find, a "
        "study shows, renewable energy works, impacts are growing, we must act"
    ),
    "1_0": (
        "global warming is not real, the planet is not warming at all, temperatures are not rising"
    ),
    "1_1": (
        "ice is growing, Antarctica and Greenland gain ice, Arctic sea ice has recovered, "
        "glaciers advance and do not melt, snow and permafrost are as they always were"
    ),
    "1_2": (
        "a new ice age is coming, the Earth is cooling, grand solar minimum, global cooling "
        "was predicted, it gets colder"
    ),
    "1_3": (
        "it is freezing outside, record cold, snow in spring, blizzard, so much for global warming"
    ),
    "1_4": (
        "no warming since 1998, the pause, the hiatus, temperatures have been flat for "
        "decades, satellites show no trend"
    ),
    "1_5": (
        "the oceans are cooling, sea surface temperature has not risen, ocean heat is not "
        "increasing"
    ),
    "1_6": (
        "sea level rise is slow and steady and not accelerating, tide gauges show nothing "
        "unusual, islands are not sinking"
    ),
    "1_7": (
        "hurricanes, floods, droughts, tornadoes and wildfires are not increasing, extreme "
        "weather has always happened and is not linked to climate change"
    ),
    "1_8": "they changed the name from global warming to climate change because it stopped warming",
    "2_0": "humans are not causing climate change, it is not man-made, people have no influence",
    "2_1": (
        "the climate has always changed, natural cycles and variability, the sun, solar "
        "activity, cosmic rays, volcanoes, El Nino, medieval warm period, little ice age"
    ),
    "2_2": (
        "land use, urban heat islands, deforestation, aerosols, soot or other human "
        "influences warm the climate rather than greenhouse gases"
    ),
    "2_3": (
        "carbon dioxide does not drive temperature, CO2 lags behind warming, the greenhouse "
        "effect is saturated or does not exist, water vapour is the main gas, no evidence for"
        " it"
    ),
    "2_4": (
        "carbon dioxide is not rising, CO2 was higher in the past, the ocean is not "
        "acidifying, pH has not fallen"
    ),
    "2_5": (
        "human emissions are a tiny part of all carbon dioxide, CO2 is only a trace gas, "
        "nature and volcanoes emit far more, 0.04 percent"
    ),
    "3_0": (
        "global warming is good for us, a warmer world is better, impacts are mild, nothing to fear"
    ),
    "3_1": (
        "climate sensitivity is low, negative feedbacks, clouds dampen the warming, doubling "
        "CO2 gives little warming"
    ),
    "3_2": (
        "polar bears are thriving, corals and the reef are fine, species adapt, wildlife and "
        "plants benefit and do not go extinct"
    ),
    "3_3": (
        "CO2 is plant food, not a pollutant, carbon dioxide greens the planet, higher crop "
        "yields, greenhouses add it"
    ),
    "3_4": "it is only one or two degrees, nobody would notice so small a rise in temperature",
    "3_5": (
        "climate change does not cause war, conflict, migration or refugees, no threat to security"
    ),
    "3_6": (
        "no harm to health, cold kills more people than heat, diseases and malaria do not spread"
    ),
    "4_0": "climate solutions do not work, all measures are a waste of time, nothing helps",
    "4_1": (
        "carbon taxes and climate policies are harmful, they destroy jobs, hurt the economy "
        "and the poor, raise prices, take away freedom, subsidies, regulation"
    ),
    "4_2": (
        "climate policies are ineffective, the Paris agreement is useless, Kyoto failed, "
        "emissions trading and offsets make no difference, green jobs are a failure"
    ),
    "4_3": (
        "too late, too expensive, too hard to solve, China and India will not join, no "
        "agreement is possible, nobody will give up their lifestyle"
    ),
    "4_4": (
        "wind and solar are unreliable, intermittent, expensive and harmful, turbines kill "
        "birds, batteries, electric cars and biofuels do not work, blackouts"
    ),
    "4_5": (
        "we need coal, oil, gas and nuclear power, fossil fuels are cheap, abundant and "
        "indispensable, energy for the poor"
    ),
    "5_0": "climate science and the climate movement cannot be trusted, do not believe any of it",
    "5_1": (
        "there is no consensus, models are wrong and failed, temperature data are unreliable "
        "or adjusted, the science is uncertain, unproven, not settled, hockey stick, peer "
        "review is broken"
    ),
    "5_2": (
        "alarmists, activists, media and politicians exaggerate and scare people, hysteria, "
        "Al Gore, Greta, hypocrites, a religion, biased, political agenda, censored sceptics"
    ),
    "5_3": (
        "climate change is a hoax, a scam, a fraud, a conspiracy of governments, the UN and "
        "elites for money, power and control, one world government"
    ),
}


def described() -> dict[str, str]:
    """Return a document for each code of the taxonomy: its name, and what it sounds like."""
    return {
        code: f"{name}. {_PHRASES.get(code, '')}".strip()
        for code, name in taxonomy.NARRATIVES.items()
    }
