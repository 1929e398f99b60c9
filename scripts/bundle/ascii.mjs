/**
 * What is not ASCII, escaped: V8 keeps a whole source in two bytes a character for the sake of a single one that needs them.
 * @param {string} code
 */
export const toAscii = (code) =>
  code.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** @returns {import('rolldown').Plugin} */
export const ascii = () => ({ name: 'ascii', renderChunk: toAscii });
