export { isOpenElsewhere } from './open-elsewhere.ts';
export { openSqlite } from './open-sqlite.ts';
export type { SqliteFile, SqlRow, SqlValue, SqlWrite } from './port.ts';
