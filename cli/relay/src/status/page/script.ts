/**
 * Script of the page: every second while it is visible, it loads the parts and replaces those that have changed, so that the others keep
 * selection and scrolling. Without a response it shows since when.
 */
export const script = String.raw`
'use strict';
const lost = document.getElementById('lost');
let heard = new Date();

const exchange = (fresh) => {
  for (const part of fresh.querySelectorAll('[data-part]')) {
    const shown = document.getElementById(part.id);
    if (!shown || shown.isEqualNode(part)) continue;
    shown.className = part.className;
    shown.hidden = part.hidden;
    shown.replaceChildren(...part.childNodes);
  }
  document.title = fresh.title;
};

const refresh = async () => {
  const answer = await fetch('/parts', { cache: 'no-store', signal: AbortSignal.timeout(5000) });
  const text = await answer.text();
  if (!/^text\/html/.test(answer.headers.get('content-type') ?? '')) throw new Error('no page');
  exchange(new DOMParser().parseFromString(text, 'text/html'));
  heard = new Date();
  lost.hidden = true;
  document.body.className = '';
};

const failed = () => {
  lost.textContent = 'No answer from ranger-relay since ' + heard.toISOString().slice(11, 19) + ' UTC. The page shows the last known state and retries each second.';
  lost.hidden = false;
  document.body.className = 'lost';
  document.title = 'No answer – ranger-relay';
};

let timer;
const tick = async () => {
  clearTimeout(timer);
  if (!document.hidden) await refresh().catch(failed);
  clearTimeout(timer);
  timer = setTimeout(tick, document.hidden ? 5000 : 1000);
};
document.addEventListener('visibilitychange', () => { if (!document.hidden) tick(); });
timer = setTimeout(tick, 1000);
`;
