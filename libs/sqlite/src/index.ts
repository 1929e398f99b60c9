export { openSqlite } from './open-sqlite.ts';
export type { SqliteFile, SqliteOptions, SqlReadOptions, SqlRow, SqlValue, SqlWrite } from './port.ts';
