import { trialDevice } from '../simulate/trial-device.ts';

/** Facts of the banner. */
export interface BannerFacts {
  readonly dataDir: string;
  readonly pid: number;
  readonly statusUrl: string;
  readonly webhookUrl: string;
  readonly forwarderUrl: string;
  /** The services with actions; undefined when they are off. */
  readonly actions: { readonly pusherUrl: string; readonly runnerUrl: string } | undefined;
  /** The services can be reached from other machines too, at every address of this one. */
  readonly onAllAddresses: boolean;
  /** Address of the real or simulated platform. */
  readonly platformUrl: string;
  /** With simulators: data of the example commands. */
  readonly trial?: Trial;
  readonly warnings: readonly string[];
}

interface Trial {
  readonly integrationId: string;
  readonly siteId: string;
  /** Address of the simulated site, with its controls below `/__control/`. */
  readonly siteUrl: string;
  /** Of the webhook. */
  readonly token: string;
  /** Of the services with actions. */
  readonly actionsToken: string;
  readonly devices: number;
  /** Settings that a command in another terminal needs, like `DATA_DIR=/data`; empty with the defaults. */
  readonly settings: readonly string[];
}

const event = (more: string): string =>
  `{"Version":"2.0","Events":[{"imei":"${trialDevice}",${more},"timeStamp":'$(date +%s000)',"addresses":[],"point":{"latitude":-1.2861,"longitude":36.8172,"altitude":1661.5,"gpsFix":2,"course":0,"speed":3.2},"status":{"autonomous":1,"lowBattery":0,"intervalChange":0,"resetDetected":0}}]}`;

const curl = (url: string, { integrationId, token }: { integrationId: string; token: string }, body: string): string =>
  `curl -sS '${url}?integration_id=${integrationId}' -H 'X-Outbound-Auth-Token: ${token}' -d '${body}'`;

const command = ({ settings }: Trial, args: string): string => [...settings, `npx ranger-relay ${args}`].join(' ');

const pullCurl = (runnerUrl: string, { actionsToken, siteId }: Trial): string =>
  `curl -sS '${runnerUrl}/v1/actions/execute' -H "Authorization: Bearer ${actionsToken}" -d '{"integration_id":"${siteId}","action_id":"pull_observations"}'`;

const actionLines = ({ actions }: BannerFacts, trial: Trial): string[] =>
  actions === undefined
    ? []
    : [
        '4. Send a text to the ranger; the simulated vendor accepts it, and the activity log shows "Message Delivered":',
        `   ${command(trial, "simulate text 'Return to camp'")}`,
        '',
        '5. See a scheduled pull: each minute new positions of two vehicles arrive from the simulated site, and at once with:',
        `   ${pullCurl(actions.runnerUrl, trial)}`,
        '',
      ];

const trialLines = (facts: BannerFacts, trial: Trial): string[] => [
  '',
  `${facts.actions ? 'Five' : 'Three'} things to try, in another terminal:`,
  '',
  '1. A ranger sends a text:',
  `   ${curl(facts.webhookUrl, trial, event('"messageCode":3,"freeText":"Back at noon"'))}`,
  '',
  '2. A ranger calls for help:',
  `   ${curl(facts.webhookUrl, trial, event('"messageCode":4,"freeText":null'))}`,
  '',
  '3. See both arrive; a call for help overtakes everything else:',
  `   curl -sS '${facts.statusUrl}/simulated.json?limit=5'`,
  `   or open ${facts.statusUrl} in a browser, or run: ${command(trial, 'activity --follow')}`,
  '',
  ...actionLines(facts, trial),
  `Nothing is lost when you kill it: kill -9 ${facts.pid}, then start it again.`,
];

const serviceLines = ({ webhookUrl, forwarderUrl, actions }: BannerFacts): string[] => [
  `  webhook ingester       ${webhookUrl}`,
  `  observation forwarder  ${forwarderUrl}/readyz`,
  ...(actions
    ? [`  message pusher         ${actions.pusherUrl}/push-data`, `  action runner          ${actions.runnerUrl}`]
    : []),
];

/** The lines that `up` prints once everything runs. */
export const banner = (facts: BannerFacts): string => {
  const { trial } = facts;
  return [
    'ranger-relay is running.',
    '',
    ...serviceLines(facts),
    ...(facts.onAllAddresses
      ? ['                         these listen on all addresses of this machine, in plain http']
      : []),
    `  ${trial ? 'simulated platform     ' : 'platform               '}${facts.platformUrl}`,
    ...(trial
      ? [`  simulated site         ${trial.siteUrl}`, `  simulated fleet        ${trial.devices} devices`]
      : []),
    `  status page            ${facts.statusUrl}`,
    `  data                   ${facts.dataDir}`,
    ...(facts.warnings.length > 0 ? ['', ...facts.warnings.map((warning) => `Note: ${warning}`)] : []),
    ...(trial ? trialLines(facts, trial) : []),
    '',
  ].join('\n');
};
