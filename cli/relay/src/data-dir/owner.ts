import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { writeAtomically } from './files.ts';

const addressesSchema = z.object({
  status: z.url(),
  ingester: z.url(),
  forwarder: z.url(),
  /** Null when the services with actions are off. */
  pusher: z.url().nullable(),
  runner: z.url().nullable(),
});

/** Where the parts of a running `up` listen, without a last slash. */
export type Addresses = z.infer<typeof addressesSchema>;

const ownerSchema = z.object({
  /** Of this run of the process; its answers carry the same. */
  id: z.uuid(),
  pid: z.int().positive(),
  /** Device and inode of the lock that it holds. */
  lock: z.string().optional(),
  /** Null until everything has started. */
  addresses: addressesSchema.nullable(),
});

/** The `up` that works on a DATA_DIR. */
export type Owner = Readonly<z.infer<typeof ownerSchema>>;

/** Path of the file in which the owner of a directory tells of itself. */
export const ownerPath = (directory: string): string => join(directory, 'up.json');

/** Replaces the file. */
export const writeOwner = (directory: string, owner: Owner): Promise<void> =>
  writeAtomically(ownerPath(directory), `${JSON.stringify(owner)}\n`);

/** Reads the file, which a killed process leaves behind; undefined when it cannot be read. */
export const readOwner = async (directory: string): Promise<Owner | undefined> => {
  const text = await readFile(ownerPath(directory), 'utf8').catch(() => '');
  try {
    return ownerSchema.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
};
