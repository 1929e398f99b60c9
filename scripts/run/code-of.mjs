/** The system's code of a thrown value, like `ENOENT`. @param {unknown} thrown @returns {string | undefined} */
export const codeOf = (thrown) =>
  thrown instanceof Error && 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
