/** Body of the status page; every value is filled in by its script. */
export const markup = `
<header>
  <h1>ranger-relay</h1>
  <span id="overall" class="pill idle"><span class="dot"></span><span id="overall-text">Asking…</span></span>
</header>
<main>
  <p id="problem" role="alert" hidden></p>
  <section class="card" aria-label="Flow of events">
    <div id="flow" class="flow"></div>
    <div id="side" class="side"></div>
  </section>
  <section class="card">
    <h2>Integrations</h2>
    <div id="integrations"></div>
  </section>
  <section id="runs-card" class="card" hidden>
    <h2>Last runs of actions</h2>
    <div id="runs"></div>
  </section>
  <div id="columns" class="columns one">
    <section id="simulated-card" class="card" hidden>
      <h2>What the simulated platform took, the newest first</h2>
      <ol id="simulated" tabindex="0" aria-label="Items of the simulated platform"></ol>
    </section>
    <section class="card">
      <h2>Recent activity</h2>
      <ol id="activity" tabindex="0" aria-label="Recent activity"></ol>
    </section>
  </div>
</main>
<footer>
  <a href="/status.json">status.json</a><a href="/activity.json">activity.json</a><a href="/metrics">metrics</a>
  <span id="updated"></span>
</footer>
`;
