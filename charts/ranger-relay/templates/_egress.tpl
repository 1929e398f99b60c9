{{/* Egress to DNS and to the connections of a component; what calls the platform reaches public addresses and what the values add. */}}
{{- define "ranger-relay.egress" -}}
{{- $policy := .Values.networkPolicy -}}
{{ include "ranger-relay.egressRule" (list ($policy.dns).ports ($policy.dns).to "UDP" "TCP") }}
{{- $addresses := dict "kafka" .Values.kafka.brokers "redis" (printf "%s,:%d" .Values.redis.sentinels.nodes (int64 .Values.redis.port)) }}
{{- range $name := without .connections "platform" }}
{{- $server := get $policy $name }}
{{- $ports := list }}
{{- range splitList "," (get $addresses $name) }}
{{- with regexFind "[0-9]+$" (trim .) }}{{ $ports = append $ports . | uniq }}{{ end }}
{{- end }}
{{ include "ranger-relay.egressRule" (list ($server.ports | default $ports) $server.to "TCP") }}
{{- end }}
{{- if has "platform" .connections }}
{{- if $policy.internet.enabled }}
{{ include "ranger-relay.egressRule" (list $policy.internet.ports (include "ranger-relay.internet" $policy.internet.except | fromYamlArray) "TCP") }}
{{- end }}
{{- with $policy.egress }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end -}}
