/** Tells people something on standard error, which leaves standard output to results. @param {string} line */
export const say = (line) => void process.stderr.write(`${line}\n`);
