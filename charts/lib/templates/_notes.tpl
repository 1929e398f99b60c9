{{/* Settings that a person should know of, one a line. */}}
{{- define "lib.warnings" -}}
{{- $found := dict -}}
{{- range $check := list (list "WEBHOOK_AUTH" "none" "anybody may post events") (list "AUTH_MODE" "none" "anybody who reaches the service may run actions") -}}
{{- include "lib.variable" (list $ (index $check 0) $found) }}
{{- if eq $found.value (index $check 1) }}
WARNING: config.{{ index $check 0 }} is {{ index $check 1 }}: {{ index $check 2 }}.
{{- end }}
{{- end }}
{{- if not .Values.networkPolicy.enabled }}
WARNING: networkPolicy.enabled is false: every pod of the cluster reaches the service and its metrics.
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.tls.enabled) }}
WARNING: ingress.tls.enabled is false: tokens and positions travel in the clear.
{{- end }}
{{- if and (ne .Values.kafka.sasl.mechanism "none") (not .Values.kafka.tls.enabled) }}
WARNING: kafka.tls.enabled is false: the password of the brokers travels in the clear.
{{- end }}
{{- if and (lt (.Values.replicas | int64) 1) (not (or .Values.autoscaling.enabled .Values.keda.enabled)) }}
WARNING: replicas is 0: nothing runs.
{{- end }}
{{- end -}}

{{/* What is printed after an installation; by the chart above, where one renders this one. */}}
{{- define "lib.notes" -}}
{{- if not (dig "renderedAbove" false (.Values.global | default dict)) -}}
{{- include "lib.prepare" . -}}
{{- include "lib.collect" . -}}
{{- $name := include "lib.fullname" . -}}
{{ .Chart.Name }} {{ .Chart.AppVersion }} is installed as {{ $name }}.

  kubectl -n {{ .Release.Namespace }} rollout status deployment/{{ $name }}
  kubectl -n {{ .Release.Namespace }} logs deployment/{{ $name }} --tail=20
  kubectl -n {{ .Release.Namespace }} get --raw /api/v1/namespaces/{{ .Release.Namespace }}/services/{{ $name }}-metrics:health/proxy/readyz
{{ include "lib.warnings" . }}
{{- end -}}
{{- end -}}
