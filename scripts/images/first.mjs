/**
 * What a program in an image does first: it ends at a signal until it listens to it itself. As process 1 of a container it would otherwise
 * miss one that comes before it has loaded, and be killed at the end of the grace.
 * @param {Pick<NodeJS.Process, 'on' | 'off' | 'exit'>} host
 */
const endWhenAsked = (host) => {
  for (const [signal, code] of /** @type {const} */ ([
    ['SIGTERM', 143],
    ['SIGINT', 130],
    ['SIGHUP', 129],
  ])) {
    const end = () => host.exit(code);
    const giveWay = (/** @type {string | symbol} */ event) => {
      if (event !== signal) return;
      host.off('newListener', giveWay);
      // Not at once: without any listener for a moment the signal could be lost.
      queueMicrotask(() => host.off(signal, end));
    };
    host.on(signal, end);
    host.on('newListener', giveWay);
  }
};

/** The same as text, to stand before a bundle. */
export const first = `(${endWhenAsked})(process);`;
