{{/* An egress rule: peers (anywhere when there are none), ports, protocols. */}}
{{- define "ranger-relay.egressRule" -}}
{{- $protocols := index . 2 -}}
- ports:
    {{- range $port := index . 1 }}
    {{- range $protocols }}
    - port: {{ include "ranger-relay.text" $port }}
      protocol: {{ . }}
    {{- end }}
    {{- end }}
  {{- with index . 0 }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}

{{- define "ranger-relay.ingressRule" -}}
- from:
    {{- toYaml (index . 0) | nindent 4 }}
  ports:
    - port: {{ index . 1 }}
      protocol: TCP
{{- end -}}

{{/* The ports of host:port, host:port, … as a JSON list. */}}
{{- define "ranger-relay.portsOf" -}}
{{- $ports := list -}}
{{- range splitList "," . -}}
{{- with regexFind "[0-9]+$" (trim .) -}}{{- $ports = append $ports (int64 .) -}}{{- end -}}
{{- end -}}
{{- $ports | uniq | toJson -}}
{{- end -}}

{{- define "ranger-relay.egress.dns" -}}
{{- $dns := .values.networkPolicy.dns -}}
{{- include "ranger-relay.egressRule" (list $dns.to $dns.ports (list "UDP" "TCP")) -}}
{{- end -}}

{{- define "ranger-relay.egress.kafka" -}}
{{- $kafka := .values.networkPolicy.kafka -}}
{{- $ports := $kafka.ports | default (include "ranger-relay.portsOf" .values.kafka.brokers | fromJsonArray) -}}
{{- include "ranger-relay.egressRule" (list $kafka.to $ports (list "TCP")) -}}
{{- end -}}

{{- define "ranger-relay.egress.redis" -}}
{{- $redis := .values.networkPolicy.redis -}}
{{- $ports := append (include "ranger-relay.portsOf" .values.redis.sentinels.nodes | fromJsonArray) (int64 .values.redis.port) | uniq -}}
{{- include "ranger-relay.egressRule" (list $redis.to ($redis.ports | default $ports) (list "TCP")) -}}
{{- end -}}

{{/* Public IPv4 and IPv6 addresses, without the excepted networks. */}}
{{- define "ranger-relay.egress.internet" -}}
{{- $internet := .values.networkPolicy.internet -}}
{{- $except4 := list -}}
{{- $except6 := list -}}
{{- range $internet.except -}}
{{- if contains ":" . -}}{{- $except6 = append $except6 . -}}{{- else -}}{{- $except4 = append $except4 . -}}{{- end -}}
{{- end -}}
{{- $peers := list -}}
{{- range list (dict "cidr" "0.0.0.0/0" "except" $except4) (dict "cidr" "::/0" "except" $except6) -}}
{{- $peers = append $peers (dict "ipBlock" (ternary . (pick . "cidr") (not (empty .except)))) -}}
{{- end -}}
{{- include "ranger-relay.egressRule" (list $peers $internet.ports (list "TCP")) -}}
{{- end -}}

{{/* Egress of a component: DNS, its connections, public addresses, and the rules of the values. */}}
{{- define "ranger-relay.egress" -}}
{{- $policy := .values.networkPolicy -}}
{{ include "ranger-relay.egress.dns" . }}
{{- if has "kafka" .sections }}
{{ include "ranger-relay.egress.kafka" . }}
{{- end }}
{{- if has "redis" .sections }}
{{ include "ranger-relay.egress.redis" . }}
{{- end }}
{{- if and (has "platform" .sections) $policy.internet.enabled }}
{{ include "ranger-relay.egress.internet" . }}
{{- end }}
{{- if has "platform" .sections }}
{{- with $policy.egress }}
{{ toYaml . }}
{{- end }}
{{- end }}
{{- end -}}
