{{/* Settings that a person should know of: those of each service, named once with all that have it, and those of the whole. */}}
{{- define "relay.warnings" -}}
{{- $said := dict -}}
{{- range $name := .facts.services -}}
{{- with get $.Subcharts $name -}}
{{- include "lib.prepare" . -}}
{{- if not (hasKey . "given") -}}{{- include "lib.collect" . -}}{{- end -}}
{{- range include "lib.warnings" . | splitList "\n" -}}
{{- with . | trim | trimPrefix "WARNING: " -}}
{{- $_ := set $said . (append (get $said . | default list) $name) -}}
{{- end -}}
{{- end -}}
{{- $scaled := or .Values.autoscaling.enabled .Values.keda.enabled -}}
{{- if and (eq $name "webhook-ingester") (not $scaled) (lt (.Values.replicas | int64) 2) -}}
{{- $_ := set $said "replicas is 1: while its pod moves the vendor is not answered, and delivers later." (list $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if not .Values.global.kafka.tls.enabled -}}
{{- $_ := set $said "global.kafka.tls.enabled is false: texts, positions and SOS calls travel to the brokers in the clear." list -}}
{{- end -}}
{{- if and .Values.kafka.topics.strimzi.users.enabled (ne (include "relay.strimziNamespace" .) .Release.Namespace) -}}
{{- $_ := set $said (printf "kafka.topics.strimzi.namespace is %s: Strimzi puts the Secrets of its users there; pods wait until they are copied to %s, and are copied again when they change." (include "relay.strimziNamespace" .) .Release.Namespace) list -}}
{{- end -}}
{{- if and (ne .Values.kafka.topics.mode "none") (lt (.Values.kafka.topics.replication | int64) 3) -}}
{{- $_ := set $said (printf "kafka.topics.replication is %d: an event, an SOS too, is acknowledged when one broker has it, and goes with that broker's disk." (.Values.kafka.topics.replication | int64)) list -}}
{{- end -}}
{{- if eq .Values.kafka.topics.mode "none" -}}
{{- $_ := set $said "kafka.topics.mode is none: nothing is ready before somebody has made the topics (ranger-relay topics apply)." list -}}
{{- end -}}
{{- range $text, $names := $said }}
WARNING{{ with $names }} ({{ join ", " . }}){{ end }}: {{ $text }}
{{- end }}
{{- end -}}

{{- define "relay.embeddedWarnings" -}}
{{- if .Values.platform.apiUrl }}
WARNING: embedded.enabled is true for a real platform: one process on one volume. While it moves or its node is away nothing is taken; the vendor delivers later.
{{- else }}
WARNING: no platform is configured (global.platform), so platform, vendor and site are simulated: nothing reaches anybody.
{{- end }}
{{- if not .Values.persistence.enabled }}
WARNING: embedded.persistence.enabled is false: what is stored is lost with the pod, acknowledged events too.
{{- end }}
{{- if not .Values.networkPolicy.enabled }}
WARNING: global.networkPolicy.enabled is false: every pod of the cluster reaches it.
{{- end }}
{{- if eq (get .Values.config "WEBHOOK_AUTH" | default "token") "none" }}
WARNING: embedded.config.WEBHOOK_AUTH is none: anybody may post events.
{{- end }}
{{- if eq (get .Values.config "AUTH_MODE" | default "bearer") "none" }}
WARNING: embedded.config.AUTH_MODE is none: anybody who reaches it may run actions.
{{- end }}
{{- if and .Values.ingress.enabled (not .Values.ingress.tls.enabled) }}
WARNING: embedded.ingress.tls.enabled is false: tokens and positions travel in the clear.
{{- end }}
{{- end -}}
