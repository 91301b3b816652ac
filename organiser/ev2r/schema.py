"""The tables of the store, and what is written to them most."""

from organiser.ev2r.recipe import DONE, OPEN, TAKEN

VERSION = 1
APPLICATION_ID = 0x45763252  # "Ev2R"

STATEMENTS = (
    f"PRAGMA application_id = {APPLICATION_ID}",
    f"PRAGMA user_version = {VERSION}",
    """
    CREATE TABLE IF NOT EXISTS recipes (
        id TEXT PRIMARY KEY,
        part TEXT NOT NULL,
        backend TEXT NOT NULL,
        version INTEGER NOT NULL,
        model TEXT NOT NULL,
        prompt TEXT NOT NULL,          -- hash of all that is said to the model
        parameters TEXT NOT NULL,      -- JSON
        approximation INTEGER NOT NULL
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS pairs (
        id INTEGER PRIMARY KEY,
        recipe TEXT NOT NULL,
        a TEXT NOT NULL,               -- hashes of the two texts
        b TEXT NOT NULL,
        state TEXT NOT NULL,           -- done, failed, open, taken
        owner TEXT NOT NULL DEFAULT '',
        unusable INTEGER NOT NULL DEFAULT 0,
        result TEXT,                   -- JSON: four counts, or three probabilities
        error TEXT NOT NULL DEFAULT '',
        UNIQUE (recipe, a, b)
    )
    """,
    """
    CREATE TABLE IF NOT EXISTS calls (
        id INTEGER PRIMARY KEY,
        pair INTEGER NOT NULL,
        at REAL NOT NULL,              -- seconds since 1970
        attempt_failed INTEGER NOT NULL, -- whether no answer came
        text TEXT NOT NULL,            -- the raw answer
        error TEXT NOT NULL,           -- why it could not be used
        attempts INTEGER NOT NULL,     -- HTTP calls
        seconds REAL NOT NULL,
        prompt_tokens INTEGER NOT NULL,
        completion_tokens INTEGER NOT NULL,
        finish_reason TEXT NOT NULL,
        refusal TEXT NOT NULL,
        served_model TEXT NOT NULL,
        structured INTEGER NOT NULL
    )
    """,
    "CREATE INDEX IF NOT EXISTS calls_of_a_pair ON calls (pair)",
    "CREATE TABLE IF NOT EXISTS owners (id TEXT PRIMARY KEY, until REAL NOT NULL)",
    """
    CREATE VIEW IF NOT EXISTS answers AS
    SELECT pairs.id AS pair, pairs.a, pairs.b, pairs.state, pairs.result, pairs.error AS outcome,
           recipes.part, recipes.backend, recipes.version, recipes.model, recipes.prompt,
           recipes.parameters, datetime(calls.at, 'unixepoch') AS at_utc, calls.text, calls.error,
           calls.attempts, calls.seconds, calls.prompt_tokens, calls.completion_tokens,
           calls.finish_reason, calls.refusal, calls.served_model, calls.structured
    FROM pairs JOIN recipes ON recipes.id = pairs.recipe LEFT JOIN calls ON calls.pair = pairs.id
    """,
)

TAKE = f"""
INSERT INTO pairs (recipe, a, b, state, owner) VALUES (?, ?, ?, '{TAKEN}', ?)
ON CONFLICT (recipe, a, b) DO UPDATE SET state = '{TAKEN}', owner = excluded.owner
WHERE state = '{OPEN}'
   OR (state = '{TAKEN}' AND pairs.owner NOT IN (SELECT id FROM owners WHERE until > ?))
"""
"""Take a pair (recipe, both hashes, owner, time) unless it is settled or in living hands."""

SETTLE = f"""
UPDATE pairs SET state = ?, result = ?, error = ?, unusable = ?, owner = ?
WHERE id = ? AND state != '{DONE}'
"""
"""State, result, error, unusable answers and owner of a row; what is done stays as it is."""
