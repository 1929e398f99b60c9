import { writeFileSync } from 'node:fs';

/** Fills the disk that the file lies on to its last byte. */
export const fillDisk = (file: string): void => {
  for (const bytes of [1_048_576, 65_536, 4_096])
    try {
      for (;;) writeFileSync(file, Buffer.alloc(bytes), { flag: 'a' });
    } catch {
      // Full for pieces of this size.
    }
};
