{{/*
Makes a component without a login use the user that Strimzi creates for it, whose Secret has the user's name. Arguments: its values, user.
*/}}
{{- define "ranger-relay.strimziLogin" -}}
{{- $kafka := (index . 0).kafka -}}
{{- $users := $kafka.topics.strimzi.users -}}
{{- if and (eq $kafka.topics.mode "strimzi") $users.enabled (not $kafka.sasl.username) (not $kafka.tls.certificate) -}}
{{- $user := include "ranger-relay.strimziName" (printf "%s%s" $kafka.prefix (index . 1)) -}}
{{- if eq $users.authentication "tls" -}}
{{- $_ := set $kafka "tls" (merge (dict "enabled" true "certificate" (dict "name" $user "certKey" "user.crt" "keyKey" "user.key")) $kafka.tls) -}}
{{- else -}}
{{- $_ := set $kafka "sasl" (dict "mechanism" "scram-sha-512" "username" $user "password" (dict "name" $user "key" "password")) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Name of the object of a topic or user; names of topics may have characters that names of objects may not. */}}
{{- define "ranger-relay.strimziName" -}}
{{- regexReplaceAll "[^a-z0-9.-]" (lower .) "-" | trimAll "-." -}}
{{- end -}}

{{/* Name of the topic of commands of a component, without the prefix. */}}
{{- define "ranger-relay.commandsTopic" -}}
{{- .Values.config.INTEGRATION_COMMANDS_TOPIC | default (printf "%s-actions-topic" .Values.config.INTEGRATION_TYPE_SLUG) -}}
{{- end -}}

{{/* metadata of a topic or user: root context, name. */}}
{{- define "ranger-relay.strimziMetadata" -}}
{{- with index . 0 -}}
name: {{ include "ranger-relay.strimziName" (index $ 1) }}
namespace: {{ .Values.kafka.topics.strimzi.namespace | default .Release.Namespace }}
labels:
  {{- include "ranger-relay.labels" (merge (dict "name" "topics") .) | nindent 2 }}
  app.kubernetes.io/managed-by: {{ .Release.Service }}
  strimzi.io/cluster: {{ .Values.kafka.topics.strimzi.cluster }}
  {{- with .Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
{{- end -}}
