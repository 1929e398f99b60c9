/**
 * Tables of `bus.sqlite`. A slot is one partition of one topic; offsets increase over all slots; a mark stores the end
 * of the file after a running time of the bus.
 */
export const schema = [
  `CREATE TABLE IF NOT EXISTS slots (
     slot INTEGER PRIMARY KEY,
     topic TEXT NOT NULL,
     partition INTEGER NOT NULL,
     UNIQUE (topic, partition))`,
  `CREATE TABLE IF NOT EXISTS records (
     offset INTEGER PRIMARY KEY AUTOINCREMENT,
     slot INTEGER NOT NULL,
     at INTEGER NOT NULL,
     key TEXT NOT NULL,
     headers TEXT,
     value BLOB NOT NULL)`,
  `CREATE INDEX IF NOT EXISTS records_by_slot ON records (slot)`,
  `CREATE TABLE IF NOT EXISTS offsets (
     reader TEXT NOT NULL,
     slot INTEGER NOT NULL,
     next INTEGER NOT NULL,
     announced INTEGER NOT NULL,
     done TEXT NOT NULL DEFAULT '',
     PRIMARY KEY (reader, slot)) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS marks (
     ran_ms INTEGER PRIMARY KEY,
     next INTEGER NOT NULL)`,
];

const columns = 'slot, at, key, headers, value';
const row = '(?, ?, ?, ?, CAST(? AS BLOB))';

/** Stores a text value as its UTF-8 bytes. */
export const insertRecord = `INSERT INTO records (${columns}) VALUES ${row}`;

/** Number of records that one statement of a large publish inserts, in order: it takes a tenth less CPU per record. */
export const rowsPerInsert = 10;
export const insertRecords = `INSERT INTO records (${columns}) VALUES ${Array.from({ length: rowsPerInsert }, () => row).join(', ')}`;
