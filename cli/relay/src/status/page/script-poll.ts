/** Browser script, last part: asks the server each second while the page is seen, and draws. */
export const pollScript = String.raw`
const ask = async (path) => {
  const answer = await fetch(path, { cache: 'no-store' });
  const body = await answer.json();
  if (!answer.ok) throw new Error(object(body.detail).error ?? 'the status page answered ' + answer.status);
  return body;
};

const tellProblem = (text) => {
  byId('problem').hidden = text === '';
  byId('problem').textContent = text;
};

const drawnBefore = new Map();

/** Draws only what has changed, so that selections and scrolling stay. */
const drawChanged = (name, value, draw) => {
  const text = JSON.stringify(value);
  if (drawnBefore.get(name) === text) return;
  drawnBefore.set(name, text);
  draw(value);
};

const refresh = async () => {
  const overview = await ask('/overview.json');
  drawOverall(overview.status.services);
  drawFlow(overview);
  drawIntegrations(overview.status.integrations);
  drawRuns(overview.status.runs);
  byId('simulated-card').hidden = !overview.simulated;
  byId('columns').className = overview.simulated ? 'columns' : 'columns one';
  if (overview.simulated)
    drawChanged('simulated', await ask('/simulated.json?limit=100'), (items) =>
      drawList('simulated', items.toReversed().map(simulatedRow), 'Nothing has arrived yet.'));
  drawChanged('activity', await ask('/activity.json?limit=100'), (entries) =>
    drawList('activity', entries.filter(({ event_type: type }) => !/Started$/.test(type)).map(activityRow), 'Nothing has happened since the start.'));
  byId('updated').textContent = 'Updated ' + new Date().toTimeString().slice(0, 8);
  tellProblem('');
};

const failed = (error) => {
  byId('overall').className = 'pill idle';
  byId('overall-text').textContent = 'Unknown';
  tellProblem(error instanceof TypeError ? 'No answer from ranger-relay. It is asked again each second; what is below is what it said last.' : error.message);
};

let timer;
const tick = async () => {
  clearTimeout(timer);
  if (!document.hidden) await refresh().catch(failed);
  clearTimeout(timer);
  timer = setTimeout(tick, document.hidden ? 5000 : 1000);
};
document.addEventListener('visibilitychange', () => { if (!document.hidden) tick(); });
tick();
`;
