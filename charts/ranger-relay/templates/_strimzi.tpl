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

{{/* Version of Strimzi's interface: the newest that the cluster serves; the newest of all where no cluster is asked. */}}
{{- define "relay.strimziApi" -}}
{{- $served := .Capabilities.APIVersions -}}
{{- $old := and ($served.Has "kafka.strimzi.io/v1beta2/KafkaTopic") (not ($served.Has "kafka.strimzi.io/v1/KafkaTopic")) -}}
{{- .Values.kafka.topics.strimzi.api | default (ternary "v1beta2" "v1" $old) -}}
{{- end -}}

{{/* How a user that Strimzi makes logs in: context, name of the user. Its Secret is called like it. */}}
{{- define "relay.strimziLogin" -}}
{{- $root := index . 0 -}}
{{- $user := include "relay.strimziName" (printf "%s%s" $root.Values.global.kafka.prefix (index . 1)) -}}
{{- if eq $root.Values.kafka.topics.strimzi.users.authentication "tls" -}}
{{- dict "tls" (dict "enabled" true "certificate" (dict "name" $user "certKey" "user.crt" "keyKey" "user.key")) | toJson -}}
{{- else -}}
{{- dict "sasl" (dict "mechanism" "scram-sha-512" "username" $user "password" (dict "name" $user "key" "password")) | toJson -}}
{{- end -}}
{{- end -}}

{{/* Whether a login at the brokers is given. */}}
{{- define "relay.hasLogin" -}}
{{- if or (dig "sasl" "username" "" .) (dig "tls" "certificate" "name" "" .) -}}true{{- end -}}
{{- end -}}

{{/* Gives each service, and the tests, the user that Strimzi makes for it, unless they have a login. */}}
{{- define "relay.wireUsers" -}}
{{- $topics := .Values.kafka.topics -}}
{{- if and (eq $topics.mode "strimzi") $topics.strimzi.users.enabled (not (include "relay.hasLogin" .Values.global.kafka)) -}}
{{- range $name := .facts.services -}}
{{- with get $.Subcharts $name -}}
{{- if not (include "relay.hasLogin" (.Values.kafka | default dict)) -}}
{{- $_ := set .Values "kafka" (mergeOverwrite (.Values.kafka | default dict) (include "relay.strimziLogin" (list $ $name) | fromJson)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not (include "relay.hasLogin" .Values.tasks.kafka) -}}
{{- $_ := mergeOverwrite .Values.tasks.kafka (include "relay.strimziLogin" (list . "ranger-relay-tools") | fromJson) -}}
{{- end -}}
{{- end -}}
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
