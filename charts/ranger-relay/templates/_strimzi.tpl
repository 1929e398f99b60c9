{{/* Name and labels of a topic or user of Strimzi: context, name. Names of objects know less characters than those of topics. */}}
{{- define "relay.strimziMetadata" -}}
{{- $root := index . 0 -}}
{{- $strimzi := $root.Values.kafka.topics.strimzi -}}
name: {{ regexReplaceAll "[^a-z0-9.-]" (lower (index . 1)) "-" | trimAll "-." }}
namespace: {{ $strimzi.namespace | default $root.Release.Namespace }}
labels:
  app.kubernetes.io/name: topics
  app.kubernetes.io/instance: {{ $root.Release.Name }}
  app.kubernetes.io/component: topics
  app.kubernetes.io/part-of: ranger-relay
  app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ $root.Release.Service }}
  strimzi.io/cluster: {{ $strimzi.cluster }}
{{- end -}}
