import type { MetricSpec } from './metrics.ts';

const seconds = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800];

const gauge = (help: string, ...labels: string[]): MetricSpec => ({ kind: 'gauge', help, labels });
const counter = (help: string, ...labels: string[]): MetricSpec => ({ kind: 'counter', help, labels });
const histogram = (help: string, ...labels: string[]): MetricSpec => ({
  kind: 'histogram',
  help,
  labels,
  buckets: seconds,
});

/** The list of all metrics; tests check dashboards and alerts against it. */
export const metricList = {
  relay_component_info: gauge('1 for the component that serves the metrics', 'component'),
  relay_ready: gauge('1 while the component is ready according to /readyz'),
  relay_active_conditions: gauge(
    'Number of subjects (integrations, topics, devices, ...) of which the condition holds; 0 when all is well',
    'condition',
    'severity',
  ),
  relay_webhook_requests_total: counter('Webhook requests by response status', 'status'),
  relay_webhook_duration_seconds: histogram('Time from the request to the response'),
  relay_webhook_events_total: counter(
    'Webhook events by outcome (observation, message, skipped_no_fix, skipped_no_time, test_events, rejected, dropped_disabled, counted)',
    'outcome',
  ),
  relay_webhook_unreadable_members_total: counter(
    'Optional members of webhook events that could not be read and count as missing',
    'member',
  ),
  relay_sos_events_total: counter(
    'SOS events by outcome (stored, rejected, dropped_disabled; later refused)',
    'outcome',
  ),
  relay_events_accepted_total: counter('Observations and messages that the platform accepted', 'kind'),
  relay_events_duplicate_total: counter('Events dropped because they were accepted, or dead-lettered, before'),
  relay_events_undeduplicated_total: counter(
    'Events to send of which the unavailable key-value store did not tell whether they were sent before; counted at each try',
  ),
  relay_events_parked_total: counter('Events moved to the parked topic'),
  relay_parked_integrations: gauge('Integrations with parked events in the partitions of this process'),
  relay_refusals_held_integrations: gauge(
    'Integrations of which the platform refused more than 20 items in a row: their events wait for an operator',
  ),
  relay_oldest_unsent_event_age_seconds: gauge(
    'Age of the oldest fetched event that the platform has not accepted yet',
    'topic',
  ),
  relay_oldest_unsent_sos_age_seconds: gauge(
    'Time since the receipt of the oldest SOS event of this process that the platform has not accepted yet',
  ),
  relay_sos_acceptance_seconds: histogram('Time from the receipt of an SOS event to its acceptance by the platform'),
  relay_forward_failures_total: counter('Failed calls of the forwarder by error code', 'code'),
  relay_dead_letters_total: counter('Dead letters by kind and reason', 'kind', 'reason'),
  relay_outstanding_dead_letters: gauge(
    'Dead letters that no operator has replayed or dropped; every forwarder counts all of them each minute',
    'kind',
    'reason',
    'sos',
  ),
  relay_certificate_expiration_timestamp_seconds: gauge(
    'Expiration of the certificates in the file of a variable, s since 1970',
    'variable',
  ),
  relay_texts_total: counter(
    'Texts, counted per device, by outcome of an attempt (accepted, failed, held; deferred and ambiguous ones are retried)',
    'outcome',
  ),
  relay_oldest_unsent_text_age_seconds: gauge('Age of the oldest fetched outbound message that is not done'),
  relay_unknown_triggers_total: counter('Commands whose triggered_by is neither auto nor manual; they count as auto'),
  relay_action_runs_total: counter(
    'Requests to run an action by outcome (complete, skipped, failed, timed_out, busy, refused and others)',
    'action',
    'outcome',
  ),
  relay_action_seconds: histogram('Time from the request to the end of a started run', 'action'),
  relay_oldest_command_age_seconds: gauge('Age of the oldest fetched command to run an action that is not done'),
  relay_scheduler_running: gauge('1 while this process runs the scheduler, as leader or as standby'),
  relay_scheduler_behind_seconds: gauge(
    'Time since the leader last evaluated the schedules successfully; 0 on other replicas',
  ),
  relay_scheduler_leader: gauge('1 while this process publishes the commands of the schedules'),
  relay_scheduler_commands_total: counter(
    'Commands published by the scheduler, by action, including repeats',
    'action',
  ),
  relay_bus_handler_errors_total: counter('Unexpected errors of bus handlers', 'topic'),
  relay_bus_unreadable_partitions: gauge(
    'Partitions that wait at a batch that this process cannot read (damaged, or of an unknown compression)',
    'topic',
  ),
  relay_bus_lag_records: gauge(
    'Records of a group from the first unhandled one to the end of the partitions of this process, including those that cannot be fetched; in `up` only unhandled ones',
    'topic',
    'group',
  ),
  relay_bus_lost_records_total: counter(
    'Records that a group skipped without handling them: deleted by retention (retention) or with their topic (recreated), or old when the group had lost its offsets (no_offsets)',
    'topic',
    'reason',
  ),
  relay_bus_publish_seconds: histogram('Time from a publish until its records are durable', 'topic'),
  relay_activity_dropped_total: counter(
    'Activity-log entries dropped because the queue was full or the bus unavailable',
  ),
  relay_store_ready: gauge('1 while the key-value store works (redis, file)', 'store'),
  relay_kv_round_trips_total: counter(
    'Round trips to the key-value server by space; calls of one turn of the event loop share one',
    'space',
  ),
  relay_config_stale_total: counter('Uses of stale configuration because the platform was unavailable'),
  relay_volume_free_bytes: gauge('Free space on the volume of the data directory', 'volume'),
  relay_volume_size_bytes: gauge('Size of the volume of the data directory', 'volume'),
  relay_http_calls_total: counter(
    'Outgoing HTTP calls by upstream and outcome: an error code, 401, 403, 429, or the class of the status',
    'upstream',
    'outcome',
  ),
  relay_kube_calls_total: counter(
    'Calls to the API server of the cluster by verb and outcome: ok, or an error code',
    'verb',
    'outcome',
  ),
  relay_kube_watch_ends_total: counter(
    'Ended watches by watched kind and reason (due: all is listed again; failed)',
    'kind',
    'reason',
  ),
  relay_kube_cache_ready: gauge('1 while the cache of the watched objects is listed and up to date', 'kind'),
  relay_kube_events_dropped_total: counter(
    'Kubernetes Events that were not written because the queue was full or the API server unavailable',
  ),
  relay_reconciles_total: counter(
    'Runs of a controller by outcome: done, again, or an error code',
    'controller',
    'outcome',
  ),
  relay_reconcile_seconds: histogram('Duration of one run of a controller', 'controller'),
  relay_reconcile_waiting_objects: gauge('Objects that wait in the work queue', 'controller'),
  relay_sync_objects: gauge(
    'Objects of the operator by kind and state (ready, drift, unchecked, stalled, approval, working, other)',
    'kind',
    'state',
  ),
} satisfies Record<string, MetricSpec>;

export type MetricName = keyof typeof metricList;
