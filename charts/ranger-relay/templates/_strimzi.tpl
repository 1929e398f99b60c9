{{/* Names of objects know less characters than those of topics and users. */}}
{{- define "relay.strimziName" -}}
{{- regexReplaceAll "[^a-z0-9.-]" (lower .) "-" | trimAll "-." -}}
{{- end -}}

{{/* Each topic has an object of its own, and a name that brokers take: context, topics. */}}
{{- define "relay.checkTopicNames" -}}
{{- $taken := dict -}}
{{- range index . 1 -}}
{{- $object := include "relay.strimziName" .name -}}
{{- with get $taken $object -}}
{{- include "lib.fail" (list (index $ 0) (printf "two topics would be the KafkaTopic %s; rename one of them" $object)) -}}
{{- end -}}
{{- $_ := set $taken $object true -}}
{{- if gt (len .name) 249 -}}
{{- include "lib.fail" (list (index $ 0) (printf "the topic %s is longer than the 249 characters that brokers take" .name)) -}}
{{- end -}}
{{- end -}}
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
