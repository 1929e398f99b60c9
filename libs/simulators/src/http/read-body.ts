import type { IncomingMessage } from 'node:http';
import { BodyTooLarge } from './answer.ts';

/** Reads a request's body up to `limit` bytes. */
export const readBody = (request: IncomingMessage, limit: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    request.on('data', (part: Buffer) => {
      size += part.length;
      if (size > limit) return reject(new BodyTooLarge(`more than ${limit} bytes`));
      parts.push(part);
    });
    request.on('end', () => resolve(parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)));
    request.on('error', reject);
    request.on('close', () => reject(new Error('the connection ended inside the body')));
  });
