import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, type ZlibOptions } from 'node:zlib';
import { RelayError } from '@ranger-relay/errors';

type Decoder = (body: Uint8Array, options: ZlibOptions) => Promise<Uint8Array>;

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify<Uint8Array, ZlibOptions, Uint8Array>(gunzip),
  'x-gzip': promisify<Uint8Array, ZlibOptions, Uint8Array>(gunzip),
  deflate: promisify<Uint8Array, ZlibOptions, Uint8Array>(inflate),
  br: promisify<Uint8Array, ZlibOptions, Uint8Array>(brotliDecompress),
};

/**
 * The body behind its `Content-Encoding`, of at most `limit` bytes; one whose encoding is not known stays as it is. `details.status` of an
 * error is that of the answer: a body that cannot be read does not take back what its status says.
 * @throws RelayError `http_body_too_large`, `http_body_unreadable`
 */
export const decodeBody = async (
  body: Uint8Array,
  encoding: string | undefined,
  { target, limit, status }: { readonly target: string; readonly limit: number; readonly status: number },
): Promise<Uint8Array> => {
  const name = encoding?.trim().toLowerCase() ?? '';
  const decode = Object.hasOwn(decoders, name) ? decoders[name] : undefined;
  if (!decode || body.length === 0) return body;
  try {
    return await decode(body, { maxOutputLength: limit });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE')
      throw new RelayError('http_body_too_large', { details: { target, limit, status }, ambiguous: true });
    const problem = `${body.length} bytes that are no ${name}`;
    throw new RelayError('http_body_unreadable', { details: { target, problem, status }, ambiguous: true });
  }
};
