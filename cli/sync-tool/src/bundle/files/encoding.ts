/** Bytes of the mark that a UTF-8 file may begin with. */
export const markBytes = (bytes: Buffer): number =>
  bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;

/** Whether a file that begins so is UTF-16 or UTF-32: a byte order mark, or JSON whose first characters hold zero bytes. */
export const isWide = (bytes: Buffer): boolean => {
  const [first, second] = bytes;
  if (bytes.length < 2) return false;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) || first === 0 || second === 0;
};

/** What is said of such a file. */
export const wideProblem = 'is UTF-16 or UTF-32; files of a bundle are UTF-8';
