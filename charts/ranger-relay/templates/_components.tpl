{{/*
What each component runs (ingester, forwarder, pusher, runner, embedded), and each task: check, topics, doctor and probe are short-lived pods without `handlerSeconds`,
whose settings stand under `tasks`. Also facts that their objects depend on. Seconds and bytes may be the name of a variable that sets them; `config` has the
defaults of variables that the chart reads.
*/}}
{{- define "ranger-relay.catalog" -}}
ingester:
  name: webhook-ingester
  sections: [kafka, redis, platform]
  bufferBytes: WEBHOOK_MAX_BUFFERED_BYTES
  bodyBytes: WEBHOOK_MAX_BODY_BYTES
  handlerSeconds: 16
  requestSeconds: 16
  config: { WEBHOOK_AUTH: token, WEBHOOK_MAX_BODY_BYTES: 16777216, WEBHOOK_MAX_BUFFERED_BYTES: 134217728 }
forwarder:
  name: observation-forwarder
  sections: [kafka, redis, platform]
  handlerSeconds: 30
  topics: [emergencies, source-events, source-events-parked]
pusher:
  name: message-pusher
  sections: [kafka, redis, platform]
  bodyBytes: ACTIONS_MAX_BODY_BYTES
  handlerSeconds: MAX_ACTION_EXECUTION_TIME
  requestSeconds: MAX_ACTION_EXECUTION_TIME
  topics: [outbound-messages, commands]
  config: { INTEGRATION_TYPE_SLUG: device_connector, AUTH_MODE: bearer, MAX_ACTION_EXECUTION_TIME: 540, ACTIONS_MAX_BODY_BYTES: 10485760 }
runner:
  name: action-runner
  sections: [kafka, redis, platform]
  bodyBytes: ACTIONS_MAX_BODY_BYTES
  handlerSeconds: MAX_ACTION_EXECUTION_TIME
  requestSeconds: MAX_ACTION_EXECUTION_TIME
  topics: [commands, site-events]
  config: { INTEGRATION_TYPE_SLUG: site_connector, AUTH_MODE: bearer, MAX_ACTION_EXECUTION_TIME: 540, ACTIONS_MAX_BODY_BYTES: 10485760 }
embedded:
  name: ranger-relay
  args: [/app/ranger-relay.mjs, up]
  sections: [platform]
  bufferBytes: WEBHOOK_MAX_BUFFERED_BYTES
  bodyBytes: WEBHOOK_MAX_BODY_BYTES
  handlerSeconds: MAX_ACTION_EXECUTION_TIME
  requestSeconds: 20
  config:
    WEBHOOK_AUTH: token
    WEBHOOK_MAX_BODY_BYTES: 16777216
    WEBHOOK_MAX_BUFFERED_BYTES: 134217728
    AUTH_MODE: bearer
    MAX_ACTION_EXECUTION_TIME: 540
    PUSHER_TYPE_SLUG: device_connector
    RUNNER_TYPE_SLUG: site_connector
check:
  name: config-check
  sections: []
topics:
  name: topics
  sections: [kafka]
doctor:
  name: test-doctor
  sections: [kafka, redis, platform]
probe:
  name: test-probe
  sections: [kafka, redis]
{{- end -}}

{{/* Keys of the enabled components, separated by commas. */}}
{{- define "ranger-relay.enabled" -}}
{{- $enabled := list -}}
{{- if .Values.embedded.enabled -}}
{{- $enabled = list "embedded" -}}
{{- else -}}
{{- range list "ingester" "forwarder" "pusher" "runner" -}}
{{- if (get $.Values .).enabled -}}{{- $enabled = append $enabled . -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- join "," $enabled -}}
{{- end -}}

{{/* Adds missing values of the first map from the second. Lists, and references to a key of a Secret, are not merged. */}}
{{- define "ranger-relay.fill" -}}
{{- $into := index . 0 -}}
{{- range $key, $value := index . 1 -}}
{{- if or (not (hasKey $into $key)) (kindIs "invalid" (get $into $key)) -}}
{{- if kindIs "map" $value -}}{{- $value = deepCopy $value -}}{{- end -}}
{{- $_ := set $into $key $value -}}
{{- else if and (kindIs "map" (get $into $key)) (kindIs "map" $value) -}}
{{- $has := get $into $key -}}
{{- if not (and (hasKey $has "name") (or (hasKey $has "key") (hasKey $value "certKey") (hasKey $value "keyKey"))) -}}
{{- include "ranger-relay.fill" (list $has $value) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/*
Makes a component: root context, its key in the catalog, its own values, and the map that becomes it. Its own values take precedence over the
shared ones. `env` then has its variables, and `mounts` the Secrets and ConfigMaps of those that are files.
*/}}
{{- define "ranger-relay.component" -}}
{{- $root := index . 0 -}}
{{- $key := index . 1 -}}
{{- $into := index . 3 -}}
{{- $values := deepCopy (index . 2) -}}
{{- $shared := omit $root.Values "ingester" "forwarder" "pusher" "runner" "embedded" "tasks" "tests" "extraObjects" "global" -}}
{{- include "ranger-relay.fill" (list $values $shared) -}}
{{- include "ranger-relay.fill" (list $values (dict "config" dict "secrets" dict)) -}}
{{- $facts := get (include "ranger-relay.catalog" . | fromYaml) $key -}}
{{- include "ranger-relay.fill" (list $values.config ($facts.config | default dict)) -}}
{{- $helm := pick $root "Release" "Chart" "Capabilities" "Files" "Template" -}}
{{- $_ := merge $into $facts (dict "key" $key "values" $values "args" (list (printf "/app/%s.mjs" $facts.name))) $helm -}}
{{- if not $facts.topics -}}
{{- /* It reads no topic, so KEDA has no lag to scale by. */ -}}
{{- $_ := set $values "keda" (dict "enabled" false) -}}
{{- end -}}
{{- include "ranger-relay.wireUser" (list $root $into) -}}
{{- $variables := include "ranger-relay.variables" $into | fromYaml -}}
{{- $_ := set $into "env" ($variables.env | default dict) -}}
{{- $_ := set $into "mounts" ($variables.mounts | default dict) -}}
{{- end -}}

{{/* A number of the catalog, or the value of the variable that it names: component, member of the catalog. */}}
{{- define "ranger-relay.number" -}}
{{- $c := index . 0 -}}
{{- $given := get $c (index . 1) -}}
{{- if kindIs "string" $given -}}{{- $given = get $c.values.config $given -}}{{- end -}}
{{- $given | default 0 | int64 -}}
{{- end -}}

{{/* Name of the topic of commands of a component, without the prefix. */}}
{{- define "ranger-relay.commandsTopic" -}}
{{- $suffix := (.Files.Get "files/topics.json" | fromJson).commands.suffix -}}
{{- .values.config.INTEGRATION_COMMANDS_TOPIC | default (printf "%s%s" .values.config.INTEGRATION_TYPE_SLUG $suffix) -}}
{{- end -}}

{{/* Seconds that a pod has to stop. */}}
{{- define "ranger-relay.gracePeriod" -}}
{{- $longest := add (include "ranger-relay.number" (list . "handlerSeconds")) 30 (int64 .values.preStopSeconds) -}}
{{- .values.terminationGracePeriodSeconds | default $longest | int64 -}}
{{- end -}}

{{/* Heap of Node.js in MiB: four fifths of what the memory limit leaves beside buffers and code. */}}
{{- define "ranger-relay.heap" -}}
{{- $memory := required (printf "%s: resources.limits.memory is not set, but the heap of the process follows from it" .key) .values.resources.limits.memory -}}
{{- $limit := divf (include "ranger-relay.quantity" $memory | float64) 1048576 | floor | int64 -}}
{{- $beside := add 64 (div (include "ranger-relay.number" (list . "bufferBytes") | int64) 1048576) -}}
{{- $heap := .values.heapMiB | default (div (mul (sub $limit $beside) 4) 5) | int64 -}}
{{- if lt $heap 32 -}}
{{- fail (printf "%s: resources.limits.memory is %s, which leaves no heap beside the %d MiB of buffers and code; set at least %dMi" .key $memory $beside (add $beside 64)) -}}
{{- end -}}
{{- if gt (add $heap $beside) $limit -}}
{{- fail (printf "%s: heapMiB is %d, but resources.limits.memory is %s, of which buffers and code take %d MiB; set heapMiB to at most %d, or leave it out" .key $heap $memory $beside (sub $limit $beside)) -}}
{{- end -}}
{{- $heap -}}
{{- end -}}
