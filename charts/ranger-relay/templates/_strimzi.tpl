{{/* Name of the object of a topic or user; names of topics may have characters that names of objects may not. */}}
{{- define "ranger-relay.strimziName" -}}
{{- regexReplaceAll "[^a-z0-9.-]" (lower .) "-" | trimAll "-." -}}
{{- end -}}

{{- define "ranger-relay.strimziNamespace" -}}
{{- .Values.kafka.topics.strimzi.namespace | default .Release.Namespace -}}
{{- end -}}

{{/*
Makes a component without a login use the user that Strimzi creates for it: root context, component. The Secret of a user has its name.
*/}}
{{- define "ranger-relay.wireUser" -}}
{{- $root := index . 0 -}}
{{- $c := index . 1 -}}
{{- $kafka := $c.values.kafka -}}
{{- $users := $root.Values.kafka.topics.strimzi.users -}}
{{- if and (has "kafka" $c.sections) (eq $root.Values.kafka.topics.mode "strimzi") $users.enabled (not $kafka.sasl.username) (not $kafka.tls.certificate) -}}
{{- $name := ternary $c.name "ranger-relay-tools" (hasKey $c "handlerSeconds") -}}
{{- $user := include "ranger-relay.strimziName" (printf "%s%s" $kafka.prefix $name) -}}
{{- if eq $users.authentication "tls" -}}
{{- $_ := set $kafka.tls "enabled" true -}}
{{- $_ := set $kafka.tls "certificate" (dict "name" $user "certKey" "user.crt" "keyKey" "user.key") -}}
{{- else -}}
{{- $_ := set $kafka "sasl" (dict "mechanism" "scram-sha-512" "username" $user "password" (dict "name" $user "key" "password")) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* metadata of a topic or user: root context, name, annotations. */}}
{{- define "ranger-relay.strimziMetadata" -}}
{{- $root := index . 0 -}}
name: {{ include "ranger-relay.strimziName" (index . 1) }}
namespace: {{ include "ranger-relay.strimziNamespace" $root }}
labels:
  app.kubernetes.io/name: topics
  app.kubernetes.io/instance: {{ $root.Release.Name }}
  app.kubernetes.io/component: topics
  app.kubernetes.io/part-of: ranger-relay
  app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
  app.kubernetes.io/managed-by: {{ $root.Release.Service }}
  strimzi.io/cluster: {{ $root.Values.kafka.topics.strimzi.cluster }}
  {{- with $root.Values.commonLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
