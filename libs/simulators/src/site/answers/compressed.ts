import { gzipSync } from 'node:zlib';
import type { Answer } from '../../http/answer.ts';

/** The same answer as a proxy sends it that compresses whatever has a body. */
export const compressed = (answer: Answer): Answer => {
  const { body, bytes, headers } = answer;
  const whole = bytes ?? body;
  if (whole === undefined || whole.length === 0) return answer;
  return { ...answer, headers: { ...headers, 'content-encoding': 'gzip' }, bytes: gzipSync(whole) };
};
