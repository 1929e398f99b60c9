/** A body of parts and its type. */
export interface Upload {
  readonly type: string;
  readonly bytes: Buffer;
}

/** The file of a part by its name; undefined when there is none (RFC 7578). */
export const fileIn = (
  { type, bytes }: Upload,
  name: string,
): { readonly name: string; readonly bytes: Buffer } | undefined => {
  const boundary = /boundary="?([^";]+)/.exec(type)?.[1];
  if (boundary === undefined) return undefined;
  for (const part of bytes.toString('latin1').split(`--${boundary}`)) {
    const end = part.indexOf('\r\n\r\n');
    const head = part.slice(0, end);
    const filename = /filename="([^"]*)"/.exec(head)?.[1];
    if (end < 0 || filename === undefined || !head.includes(`name="${name}"`)) continue;
    return { name: filename, bytes: Buffer.from(part.slice(end + 4, -2), 'latin1') };
  }
  return undefined;
};
