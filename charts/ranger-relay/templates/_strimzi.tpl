{{/* Names of objects know less characters than those of topics and users. */}}
{{- define "relay.strimziName" -}}
{{- regexReplaceAll "[^a-z0-9.-]" (lower .) "-" | trimAll "-." -}}
{{- end -}}

{{- define "relay.strimziNamespace" -}}
{{- .Values.kafka.topics.strimzi.namespace | default .Release.Namespace -}}
{{- end -}}

{{/* Name and labels of a topic or user of Strimzi: context, name. */}}
{{- define "relay.strimziMetadata" -}}
{{- $root := index . 0 -}}
{{- $strimzi := $root.Values.kafka.topics.strimzi -}}
name: {{ include "relay.strimziName" (index . 1) }}
namespace: {{ include "relay.strimziNamespace" $root }}
labels:
  app.kubernetes.io/name: topics
  app.kubernetes.io/instance: {{ $root.Release.Name }}
  app.kubernetes.io/component: topics
  app.kubernetes.io/part-of: ranger-relay
  app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ $root.Release.Service }}
  strimzi.io/cluster: {{ $strimzi.cluster }}
{{- end -}}
