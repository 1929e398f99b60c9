{{/* Egress to DNS and to the connections of a component; what calls the platform reaches public addresses and what the values add. */}}
{{- define "ranger-relay.egress" -}}
{{- $policy := .Values.networkPolicy -}}
- ports:
    {{- range ($policy.dns).ports }}
    - { port: {{ int64 . }}, protocol: UDP }
    - { port: {{ int64 . }}, protocol: TCP }
    {{- end }}
  {{- with ($policy.dns).to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- $addresses := dict "kafka" .Values.kafka.brokers "redis" (printf "%s,:%d" .Values.redis.sentinels.nodes (int64 .Values.redis.port)) }}
{{- range $name := without .connections "platform" }}
{{- $server := get $policy $name }}
{{- $ports := list }}
{{- range splitList "," (get $addresses $name) }}
{{- with regexFind "[0-9]+$" (trim .) }}{{ $ports = append $ports . | uniq }}{{ end }}
{{- end }}
- ports:
    {{- range $server.ports | default $ports }}
    - { port: {{ int64 . }}, protocol: TCP }
    {{- end }}
  {{- with $server.to }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- if has "platform" .connections }}
{{- if $policy.internet.enabled }}
- ports:
    {{- range $policy.internet.ports }}
    - { port: {{ int64 . }}, protocol: TCP }
    {{- end }}
  to:
    {{- range $all, $family := dict "0.0.0.0/0" "^[^:]+$" "::/0" ":" }}
    {{- $except := list }}
    {{- range $policy.internet.except }}
    {{- if regexMatch $family . }}{{ $except = append $except . }}{{ end }}
    {{- end }}
    - ipBlock:
        {{- toYaml (merge (dict "cidr" $all) (ternary (dict "except" $except) dict (not (empty $except)))) | nindent 8 }}
    {{- end }}
{{- end }}
{{- with $policy.egress }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end -}}
