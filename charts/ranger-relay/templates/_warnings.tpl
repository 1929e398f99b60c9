{{/* Warnings about risky settings, one a line. */}}
{{- define "ranger-relay.warnings" -}}
{{- $lines := list -}}
{{- $enabled := include "ranger-relay.enabled" . | splitList "," -}}
{{- range $key := without $enabled "" -}}
{{- $c := dict -}}
{{- include "ranger-relay.component" (list $ $key (get $.Values $key) $c) -}}
{{- $values := $c.values -}}
{{- $scaled := or $values.autoscaling.enabled $values.keda.enabled -}}
{{- if eq ($values.config.WEBHOOK_AUTH | default "") "none" -}}
{{- $lines = append $lines (printf "%s.config.WEBHOOK_AUTH is none: anybody may post events." $key) -}}
{{- end -}}
{{- if eq ($values.config.AUTH_MODE | default "") "none" -}}
{{- $lines = append $lines (printf "%s.config.AUTH_MODE is none: anybody who reaches the service may run actions." $key) -}}
{{- end -}}
{{- if not $values.networkPolicy.enabled -}}
{{- $lines = append $lines (printf "networkPolicy.enabled is false for %s: every pod of the cluster reaches it and its metrics." $key) -}}
{{- end -}}
{{- if and $values.ingress.enabled (not $values.ingress.tls.enabled) -}}
{{- $lines = append $lines (printf "%s.ingress.tls.enabled is false: tokens and positions travel in the clear." $key) -}}
{{- end -}}
{{- if and (ne $key "embedded") (not $scaled) (lt (int64 $values.replicas) 1) -}}
{{- $lines = append $lines (printf "%s.replicas is 0: it does not run." $key) -}}
{{- end -}}
{{- if and (eq $key "ingester") (not $scaled) (eq (int64 $values.replicas) 1) -}}
{{- $lines = append $lines "ingester.replicas is 1: while its pod moves the vendor gets no response, and delivers later." -}}
{{- end -}}
{{- if and $values.keda.enabled $values.prometheusRule.enabled (not (int64 $values.keda.minReplicas)) -}}
{{- $lines = append $lines (printf "%s.keda.minReplicas is 0: the alert RelayComponentGone fires whenever no pod is left." $key) -}}
{{- end -}}
{{- end -}}
{{- if .Values.embedded.enabled -}}
{{- $lines = append $lines (ternary "embedded.enabled is true for a real platform: one process on one volume. While the pod moves or its node is down no event is accepted; the vendor delivers later." "no platform is configured, so platform, vendor and site are simulated: nothing reaches anybody." (not (empty .Values.platform.apiUrl))) -}}
{{- if not .Values.embedded.persistence.enabled -}}
{{- $lines = append $lines "embedded.persistence.enabled is false: what is stored is lost with the pod, acknowledged events too." -}}
{{- end -}}
{{- else -}}
{{- $topics := .Values.kafka.topics -}}
{{- if not (len (without $enabled "")) -}}
{{- $lines = append $lines "every component is disabled: nothing runs." -}}
{{- end -}}
{{- if not .Values.kafka.tls.enabled -}}
{{- $lines = append $lines (printf "kafka.tls.enabled is false: texts, positions and SOS calls%s travel to the brokers in the clear." (ternary "" ", and the password," (eq .Values.kafka.sasl.mechanism "none"))) -}}
{{- end -}}
{{- if and $topics.strimzi.users.enabled (ne (include "ranger-relay.strimziNamespace" .) .Release.Namespace) -}}
{{- $lines = append $lines (printf "kafka.topics.strimzi.namespace is %s: Strimzi creates the Secrets of its users there; pods wait until they are copied to %s, and are copied again when they change." (include "ranger-relay.strimziNamespace" .) .Release.Namespace) -}}
{{- end -}}
{{- if eq $topics.mode "none" -}}
{{- $lines = append $lines "kafka.topics.mode is none: no service is ready until the topics are created (ranger-relay topics apply)." -}}
{{- else if lt (int64 $topics.replication) 3 -}}
{{- $lines = append $lines (printf "kafka.topics.replication is %d: an event, also an SOS, is acknowledged when one broker has it, and is lost with the disk of that broker." (int64 $topics.replication)) -}}
{{- end -}}
{{- end -}}
{{- range $lines }}
WARNING: {{ . }}
{{- end }}
{{- end -}}
