import { existsSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { noteUnclosed } from './integrity.ts';

const busy = 5;

/**
 * Whether any process has the file open: each holds a lock of the operating system on the file itself, which no other file can lose. Reading
 * processes count too. Call it before this process opens the file.
 */
export const isOpenElsewhere = (path: string): boolean => {
  if (!existsSync(path)) return false;
  // Closing it as the last process would hide that its owner has not.
  noteUnclosed(path);
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(path, { timeout: 0 });
    db.exec('PRAGMA locking_mode = EXCLUSIVE');
    db.exec('SELECT count(*) FROM sqlite_master');
    return false;
  } catch (error) {
    // What else is wrong with the file is found when it is opened.
    return ((error as { errcode?: number } | null)?.errcode ?? 0) % 256 === busy;
  } finally {
    db?.close();
  }
};
