{{/* The operator calls names and the API server, whose pods no policy can name. */}}
{{- define "operator.egress" -}}
{{- $server := .Values.networkPolicy.apiServer -}}
{{- include "lib.dnsEgress" . }}
{{ include "lib.egressRule" (list $server.to $server.ports (list "TCP")) }}
{{- end -}}
