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

{{/* Name of the objects: release and component, unless the release already has that name. A long name ends with its hash. */}}
{{- define "ranger-relay.fullname" -}}
{{- $name := .Values.nameOverride | default .name -}}
{{- $full := .Values.fullnameOverride | default (ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name)) -}}
{{- if gt (len $full) 52 -}}
{{- printf "%s-%s" ($full | trunc 43 | trimSuffix "-") (sha256sum $full | trunc 8) -}}
{{- else -}}
{{- $full | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Selectors are immutable: these labels never change, also when the names of objects do. */}}
{{- define "ranger-relay.selectorLabels" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: {{ .name }}
{{- end -}}

{{- define "ranger-relay.labels" -}}
{{ include "ranger-relay.selectorLabels" . }}
app.kubernetes.io/part-of: ranger-relay
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
{{- end -}}

{{/* metadata of an object of a component. Arguments: `of`, the component; `suffix` or `name`, `labels`, `annotations` as far as it has them. */}}
{{- define "ranger-relay.metadata" -}}
{{- $chart := printf "%s-%s" .of.Chart.Name (.of.Chart.Version | replace "+" "_") -}}
{{- $labels := dict "app.kubernetes.io/managed-by" .of.Release.Service "helm.sh/chart" $chart -}}
name: {{ .name | default (printf "%s%s" (include "ranger-relay.fullname" .of) (.suffix | default "")) }}
namespace: {{ .of.Release.Namespace }}
labels:
  {{- toYaml (merge (include "ranger-relay.labels" .of | fromYaml) $labels (.labels | default dict) (.of.Values.commonLabels | default dict)) | nindent 2 }}
{{- with merge (dict) (.annotations | default dict) (.of.Values.commonAnnotations | default dict) }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* A scalar as text: whole numbers never in the form 1e+07. */}}
{{- define "ranger-relay.text" -}}
{{- if and (kindIs "float64" .) (eq (int64 . | float64) .) -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}
