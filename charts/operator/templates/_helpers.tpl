{{- define "operator.serviceAccountName" -}}
{{- .Values.serviceAccount.name | default (include "ranger-relay.fullname" .) -}}
{{- end -}}

{{/* Namespaces that the operator watches, as a JSON list; empty for all of them. */}}
{{- define "operator.namespaces" -}}
{{- $namespaces := .Values.watchNamespaces | default (list .Release.Namespace) | uniq -}}
{{- if .Values.allNamespaces }}{{ $namespaces = list }}{{ end -}}
{{- $namespaces | toJson -}}
{{- end -}}

{{/* Seconds that a pod has to stop: up to 20 for a call to the API server, and 30 for the rest. */}}
{{- define "operator.gracePeriod" -}}
{{- $needed := add 50 .Values.preStopSeconds -}}
{{- $given := .Values.terminationGracePeriodSeconds | default $needed | int64 -}}
{{- if lt $given $needed -}}
{{- fail (printf "terminationGracePeriodSeconds is %d; with preStopSeconds the operator needs at least %d" $given $needed) -}}
{{- end -}}
{{- $given -}}
{{- end -}}

{{/* Settings of the Jobs' pods, which the operator reads from its environment, as JSON. */}}
{{- define "operator.jobPod" -}}
{{- $pod := dict "runAsUser" (include "ranger-relay.runAsUser" . | int64 | default nil) -}}
{{- with .Values.jobs -}}
{{- range $field, $value := dict "labels" .podLabels "annotations" .podAnnotations "nodeSelector" .nodeSelector "tolerations" .tolerations "affinity" .affinity "priorityClassName" .priorityClassName "env" .extraEnv -}}
{{- if $value -}}{{- $_ := set $pod $field $value -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- $pod | toJson -}}
{{- end -}}
