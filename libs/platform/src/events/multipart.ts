import { hash } from 'node:crypto';
import { cleanText } from '@ranger-relay/errors';

/** A file to send. */
export interface EventFile {
  /** Shown to people. */
  readonly name: string;
  /** Media type, as `image/jpeg`. */
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** A body with its content type. */
export interface MultipartBody {
  readonly type: string;
  readonly body: Uint8Array;
}

/** Names as browsers write them: what would end the quoted name is percent-encoded. */
const quoted = (name: string): string =>
  cleanText(
    name.replaceAll(/[\r\n"]/g, (sign) => encodeURIComponent(sign)),
    255,
  ) || 'file';

const mediaType = /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/;

/** A form with one file in one field. No file holds its own digest, which therefore divides the parts. */
export const multipartOf = (field: string, { name, type, bytes }: EventFile): MultipartBody => {
  const boundary = hash('sha256', bytes);
  const head = [
    `--${boundary}`,
    `Content-Disposition: form-data; name="${field}"; filename="${quoted(name)}"`,
    `Content-Type: ${mediaType.test(type) ? type : 'application/octet-stream'}`,
    '',
    '',
  ].join('\r\n');
  const body = Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
};
