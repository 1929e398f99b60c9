{{/* Name of each program, and its defaults of the variables that the chart itself reads. */}}
{{- define "ranger-relay.programs" -}}
ingester:
  name: webhook-ingester
  config: { WEBHOOK_AUTH: token, WEBHOOK_MAX_BODY_BYTES: 16777216, WEBHOOK_MAX_BUFFERED_BYTES: 134217728 }
forwarder:
  name: observation-forwarder
pusher:
  name: message-pusher
  config: { INTEGRATION_TYPE_SLUG: device_connector, AUTH_MODE: bearer, MAX_ACTION_EXECUTION_TIME: 540, ACTIONS_MAX_BODY_BYTES: 10485760 }
runner:
  name: action-runner
  config: { INTEGRATION_TYPE_SLUG: site_connector, AUTH_MODE: bearer, MAX_ACTION_EXECUTION_TIME: 540, ACTIONS_MAX_BODY_BYTES: 10485760 }
embedded:
  name: ranger-relay
  config:
    WEBHOOK_AUTH: token
    WEBHOOK_MAX_BODY_BYTES: 16777216
    WEBHOOK_MAX_BUFFERED_BYTES: 134217728
    AUTH_MODE: bearer
    MAX_ACTION_EXECUTION_TIME: 540
    PUSHER_TYPE_SLUG: device_connector
    RUNNER_TYPE_SLUG: site_connector
{{- end -}}

{{/*
A component, as YAML: a root context of its own, in which its block of values takes precedence over the shared settings; every other helper takes
one. Arguments: root context, key of the block.
*/}}
{{- define "ranger-relay.component" -}}
{{- $root := index . 0 -}}
{{- $key := index . 1 -}}
{{- $program := get (include "ranger-relay.programs" . | fromYaml) $key -}}
{{- $own := include "ranger-relay.given" (get $root.Values $key) | fromYaml -}}
{{- $values := mergeOverwrite (deepCopy $root.Values) $own -}}
{{- $_ := set $values "config" (merge ($values.config | default dict) ($program.config | default dict)) -}}
{{- $connections := ternary (list "platform") (list "kafka" "redis" "platform") (eq $key "embedded") -}}
{{- include "ranger-relay.strimziLogin" (list $values $program.name) -}}
{{- include "ranger-relay.context" (list $root (dict "key" $key "name" $program.name "connections" $connections "own" $own "Values" $values)) -}}
{{- end -}}

{{/* Settings of a block without those that are null, like a `config` of which every line is a comment. */}}
{{- define "ranger-relay.given" -}}
{{- range $name, $value := . }}
{{- if not (kindIs "invalid" $value) }}
{{ toYaml (dict $name $value) }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "ranger-relay.context" -}}
{{- $root := index . 0 -}}
{{- $chart := dict "Name" $root.Chart.Name "Version" $root.Chart.Version "AppVersion" $root.Chart.AppVersion -}}
{{- $openshift := $root.Capabilities.APIVersions.Has "security.openshift.io/v1" -}}
{{- merge (dict "Release" $root.Release "Chart" $chart "openshift" $openshift) (index . 1) | toYaml -}}
{{- end -}}

{{/* The enabled ones of some components, as a YAML list. Arguments: root context, keys. */}}
{{- define "ranger-relay.enabled" -}}
{{- $root := first . -}}
{{- range $key := rest . }}
{{- if and (get $root.Values $key).enabled (eq $root.Values.embedded.enabled (eq $key "embedded")) }}
- {{ include "ranger-relay.component" (list $root $key) | nindent 2 | trim }}
{{- end }}
{{- end }}
{{- end -}}
