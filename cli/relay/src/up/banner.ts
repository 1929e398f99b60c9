/** What the banner tells. */
export interface BannerFacts {
  readonly dataDir: string;
  readonly pid: number;
  readonly statusUrl: string;
  readonly webhookUrl: string;
  readonly forwarderUrl: string;
  /** Address of the real or simulated platform. */
  readonly platformUrl: string;
  /** With simulators: what a person can try at once. */
  readonly trial?: { readonly integrationId: string; readonly token: string; readonly devices: number };
  readonly warnings: readonly string[];
}

const event = (more: string): string =>
  `{"Version":"2.0","Events":[{"imei":"300434030099999",${more},"timeStamp":'$(date +%s000)',"addresses":[],"point":{"latitude":-1.2861,"longitude":36.8172,"altitude":1661.5,"gpsFix":2,"course":0,"speed":3.2},"status":{"autonomous":1,"lowBattery":0,"intervalChange":0,"resetDetected":0}}]}`;

const curl = (url: string, { integrationId, token }: { integrationId: string; token: string }, body: string): string =>
  `curl -sS '${url}?integration_id=${integrationId}' -H 'X-Outbound-Auth-Token: ${token}' -d '${body}'`;

const trialLines = (facts: BannerFacts, trial: NonNullable<BannerFacts['trial']>): string[] => [
  '',
  'Three things to try, in another terminal:',
  '',
  '1. A ranger sends a text:',
  `   ${curl(facts.webhookUrl, trial, event('"messageCode":3,"freeText":"Back at noon"'))}`,
  '',
  '2. A ranger calls for help:',
  `   ${curl(facts.webhookUrl, trial, event('"messageCode":4,"freeText":null'))}`,
  '',
  '3. See both arrive, in order:',
  `   curl -sS '${facts.statusUrl}/simulated.json?limit=5'`,
  `   or open ${facts.statusUrl} in a browser, or run: npx ranger-relay activity --follow`,
  '',
  `Nothing is lost when you kill it: kill -9 ${facts.pid}, then start it again.`,
];

/** The lines that `up` prints once everything runs. */
export const banner = (facts: BannerFacts): string => {
  const { trial } = facts;
  return [
    'ranger-relay is running.',
    '',
    `  webhook ingester       ${facts.webhookUrl}`,
    `  observation forwarder  ${facts.forwarderUrl}/readyz`,
    `  ${trial ? 'simulated platform     ' : 'platform               '}${facts.platformUrl}`,
    ...(trial ? [`  simulated fleet        ${trial.devices} devices`] : []),
    `  status page            ${facts.statusUrl}`,
    `  data                   ${facts.dataDir}`,
    ...(facts.warnings.length > 0 ? ['', ...facts.warnings.map((warning) => `Note: ${warning}`)] : []),
    ...(trial ? trialLines(facts, trial) : []),
    '',
  ].join('\n');
};
