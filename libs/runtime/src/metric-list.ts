import type { MetricSpec } from './metrics.ts';

const seconds = [0.005, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 300, 1800];

/** The list of all metrics; tests check dashboards and alerts against it. */
export const metricList = {
  relay_component_info: {
    kind: 'gauge',
    help: '1 for the component that serves the metrics',
    labels: ['component'],
  },
  relay_ready: {
    kind: 'gauge',
    help: '1 while the component is ready according to /readyz',
    labels: [],
  },
  relay_active_conditions: {
    kind: 'gauge',
    help: 'Number of subjects (integrations, topics, devices, ...) of which the condition holds; 0 when all is well',
    labels: ['condition', 'severity'],
  },
  relay_webhook_requests_total: {
    kind: 'counter',
    help: 'Webhook requests by response status',
    labels: ['status'],
  },
  relay_webhook_duration_seconds: {
    kind: 'histogram',
    help: 'Time from the request to the response',
    labels: [],
    buckets: seconds,
  },
  relay_webhook_events_total: {
    kind: 'counter',
    help: 'Webhook events by outcome (observation, message, skipped_no_fix, skipped_no_time, test_events, rejected, dropped_disabled, counted)',
    labels: ['outcome'],
  },
  relay_webhook_unreadable_members_total: {
    kind: 'counter',
    help: 'Optional members of webhook events that could not be read and count as missing',
    labels: ['member'],
  },
  relay_sos_events_total: {
    kind: 'counter',
    help: 'SOS events by outcome (stored, rejected, dropped_disabled; later parked, refused)',
    labels: ['outcome'],
  },
  relay_events_accepted_total: {
    kind: 'counter',
    help: 'Observations and messages that the platform accepted',
    labels: ['kind'],
  },
  relay_events_duplicate_total: {
    kind: 'counter',
    help: 'Events dropped because they were accepted, or dead-lettered, before',
    labels: [],
  },
  relay_events_undeduplicated_total: {
    kind: 'counter',
    help: 'Events to send of which the unavailable key-value store did not tell whether they were sent before; counted at each try',
    labels: [],
  },
  relay_events_parked_total: {
    kind: 'counter',
    help: 'Events moved to the parked topic',
    labels: [],
  },
  relay_parked_integrations: {
    kind: 'gauge',
    help: 'Integrations with parked events in the partitions of this process',
    labels: [],
  },
  relay_refusals_held_integrations: {
    kind: 'gauge',
    help: 'Integrations of which the platform refused more than 20 items in a row: their events wait for an operator',
    labels: [],
  },
  relay_oldest_unsent_event_age_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest fetched event that the platform has not accepted yet',
    labels: ['topic'],
  },
  relay_oldest_unsent_sos_age_seconds: {
    kind: 'gauge',
    help: 'Time since the receipt of the oldest SOS event of this process that the platform has not accepted yet',
    labels: [],
  },
  relay_sos_acceptance_seconds: {
    kind: 'histogram',
    help: 'Time from the receipt of an SOS event to its acceptance by the platform',
    labels: [],
    buckets: seconds,
  },
  relay_forward_failures_total: {
    kind: 'counter',
    help: 'Failed calls of the forwarder by error code',
    labels: ['code'],
  },
  relay_dead_letters_total: {
    kind: 'counter',
    help: 'Dead letters by kind and reason',
    labels: ['kind', 'reason'],
  },
  relay_outstanding_dead_letters: {
    kind: 'gauge',
    help: 'Dead letters that no operator has replayed or dropped; every forwarder counts all of them each minute',
    labels: ['kind', 'reason', 'sos'],
  },
  relay_certificate_expiration_timestamp_seconds: {
    kind: 'gauge',
    help: 'Expiration of the certificates in the file of a variable, s since 1970',
    labels: ['variable'],
  },
  relay_texts_total: {
    kind: 'counter',
    help: 'Texts, counted per device, by outcome of an attempt (accepted, failed, held; deferred and ambiguous ones are retried)',
    labels: ['outcome'],
  },
  relay_oldest_unsent_text_age_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest fetched outbound message that is not done',
    labels: [],
  },
  relay_unknown_triggers_total: {
    kind: 'counter',
    help: 'Commands whose triggered_by is neither auto nor manual; they count as auto',
    labels: [],
  },
  relay_action_runs_total: {
    kind: 'counter',
    help: 'Requests to run an action by outcome (complete, skipped, failed, timed_out, busy, refused and others)',
    labels: ['action', 'outcome'],
  },
  relay_action_seconds: {
    kind: 'histogram',
    help: 'Time from the request to the end of a started run',
    labels: ['action'],
    buckets: seconds,
  },
  relay_oldest_command_age_seconds: {
    kind: 'gauge',
    help: 'Age of the oldest fetched command to run an action that is not done',
    labels: [],
  },
  relay_scheduler_running: {
    kind: 'gauge',
    help: '1 while this process runs the scheduler, as leader or as standby',
    labels: [],
  },
  relay_scheduler_behind_seconds: {
    kind: 'gauge',
    help: 'Time since the leader last evaluated the schedules successfully; 0 on other replicas',
    labels: [],
  },
  relay_scheduler_leader: {
    kind: 'gauge',
    help: '1 while this process publishes the commands of the schedules',
    labels: [],
  },
  relay_scheduler_commands_total: {
    kind: 'counter',
    help: 'Commands published by the scheduler, by action, including repeats',
    labels: ['action'],
  },
  relay_bus_handler_errors_total: {
    kind: 'counter',
    help: 'Unexpected errors of bus handlers',
    labels: ['topic'],
  },
  relay_bus_unreadable_partitions: {
    kind: 'gauge',
    help: 'Partitions that wait at a batch that this process cannot read (damaged, or of an unknown compression)',
    labels: ['topic'],
  },
  relay_bus_lag_records: {
    kind: 'gauge',
    help: 'Records of a group from the first unhandled one to the end of the partitions of this process, including those that cannot be fetched; in `up` only unhandled ones',
    labels: ['topic', 'group'],
  },
  relay_bus_lost_records_total: {
    kind: 'counter',
    help: 'Records that a group skipped without handling them: deleted by retention (retention) or with their topic (recreated), or old when the group had lost its offsets (no_offsets)',
    labels: ['topic', 'reason'],
  },
  relay_bus_publish_seconds: {
    kind: 'histogram',
    help: 'Time from a publish until its records are durable',
    labels: ['topic'],
    buckets: seconds,
  },
  relay_activity_dropped_total: {
    kind: 'counter',
    help: 'Activity-log entries dropped because the queue was full or the bus unavailable',
    labels: [],
  },
  relay_store_ready: {
    kind: 'gauge',
    help: '1 while the key-value store works (redis, file)',
    labels: ['store'],
  },
  relay_kv_round_trips_total: {
    kind: 'counter',
    help: 'Round trips to the key-value server by space; calls of one turn of the event loop share one',
    labels: ['space'],
  },
  relay_config_stale_total: {
    kind: 'counter',
    help: 'Uses of stale configuration because the platform was unavailable',
    labels: [],
  },
  relay_volume_free_bytes: {
    kind: 'gauge',
    help: 'Free space on the volume of the data directory',
    labels: ['volume'],
  },
  relay_volume_size_bytes: {
    kind: 'gauge',
    help: 'Size of the volume of the data directory',
    labels: ['volume'],
  },
  relay_http_calls_total: {
    kind: 'counter',
    help: 'Outgoing HTTP calls by upstream and outcome: an error code, 401, 403, 429, or the class of the status',
    labels: ['upstream', 'outcome'],
  },
  relay_kube_calls_total: {
    kind: 'counter',
    help: 'Calls to the API server of the cluster by verb and outcome: ok, or an error code',
    labels: ['verb', 'outcome'],
  },
  relay_kube_watch_ends_total: {
    kind: 'counter',
    help: 'Ended watches by watched kind and reason (due: all is listed again; failed)',
    labels: ['kind', 'reason'],
  },
  relay_kube_cache_ready: {
    kind: 'gauge',
    help: '1 while the cache of the watched objects is listed and up to date',
    labels: ['kind'],
  },
  relay_kube_events_dropped_total: {
    kind: 'counter',
    help: 'Kubernetes Events that were not written because the queue was full or the API server unavailable',
    labels: [],
  },
  relay_reconciles_total: {
    kind: 'counter',
    help: 'Runs of a controller by outcome: done, again, or an error code',
    labels: ['controller', 'outcome'],
  },
  relay_reconcile_seconds: {
    kind: 'histogram',
    help: 'Duration of one run of a controller',
    labels: ['controller'],
    buckets: seconds,
  },
  relay_reconcile_waiting_objects: {
    kind: 'gauge',
    help: 'Objects that wait in the work queue',
    labels: ['controller'],
  },
  relay_sync_objects: {
    kind: 'gauge',
    help: 'Objects of the operator by kind and state (ready, drift, unchecked, stalled, approval, working, other)',
    labels: ['kind', 'state'],
  },
} as const satisfies Record<string, MetricSpec>;

export type MetricName = keyof typeof metricList;
