/** @param {string} text */
const escaped = (text) => text.replace(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);

/** Whether a path stands in a text as a whole: `/src` does not stand in `libs/bus/src`. @param {string} text @param {string} path */
const stands = (text, path) => new RegExp(String.raw`(?<![\w.@-])${escaped(path)}(?![\w-])`).test(text);

/**
 * Whether a file tells of the machine that made it: a path of it, or where a source map would lie.
 * @param {string} text
 * @param {readonly string[]} paths folders of this machine
 * @returns {string | undefined} what it tells
 */
export const leakIn = (text, paths) =>
  paths.find((path) => path.length > 1 && stands(text, path)) ??
  /[/*]# sourceMappingURL=(?!data:|\$)\S+/.exec(text)?.[0];

/**
 * @param {readonly { path: string, text: string }[]} files
 * @param {readonly string[]} paths folders of this machine
 * @throws naming the first file that tells of the machine
 */
export const refuseLeaks = (files, paths) => {
  for (const { path, text } of files) {
    const leak = leakIn(text, paths);
    if (leak !== undefined) throw new Error(`${path} tells of the machine that made it: ${leak}`);
  }
};
