{{/* What cannot work, each with one sentence. */}}
{{- define "relay.check" -}}
{{- if .Values.embedded.enabled -}}
{{- include "relay.checkEmbedded" . -}}
{{- else -}}
{{- include "relay.checkTopics" . -}}
{{- end -}}
{{- end -}}

{{- define "relay.checkEmbedded" -}}
{{- $global := .Values.global -}}
{{- if $global.kafka.brokers -}}
{{- include "lib.fail" (list . "embedded.enabled is true, but global.kafka.brokers names brokers; one process keeps its own bus, so remove one of them") -}}
{{- end -}}
{{- if or $global.redis.host $global.redis.sentinels.nodes -}}
{{- include "lib.fail" (list . "embedded.enabled is true, but global.redis names a store; one process keeps its own, so remove one of them") -}}
{{- end -}}
{{- if ne .Values.kafka.topics.mode "job" -}}
{{- include "lib.fail" (list . (printf "embedded.enabled is true, but kafka.topics.mode is %s; one process has no topics on Kafka" .Values.kafka.topics.mode)) -}}
{{- end -}}
{{- $set := list -}}
{{- $unset := list -}}
{{- range list "apiUrl" "sensorsUrl" "tokenUrl" "clientId" -}}
{{- if get $global.platform . -}}{{- $set = append $set . -}}{{- else -}}{{- $unset = append $unset . -}}{{- end -}}
{{- end -}}
{{- if and $set $unset -}}
{{- include "lib.fail" (list . (printf "global.platform.%s is not set, but global.platform.%s is; a real platform needs all of them, a simulated one none" (first $unset) (first $set))) -}}
{{- end -}}
{{- $ingress := .Values.embedded.ingress -}}
{{- if and $ingress.enabled (not $ingress.hosts) -}}
{{- include "lib.fail" (list . "embedded.ingress.enabled is true, but embedded.ingress.hosts names no host") -}}
{{- end -}}
{{- if and .Values.embedded.httpRoute.enabled (not .Values.embedded.httpRoute.parentRefs) -}}
{{- include "lib.fail" (list . "embedded.httpRoute.enabled is true, but embedded.httpRoute.parentRefs names no Gateway") -}}
{{- end -}}
{{- $persistence := .Values.embedded.persistence -}}
{{- if and $persistence.existingClaim (not $persistence.enabled) -}}
{{- include "lib.fail" (list . "embedded.persistence.existingClaim is given, but embedded.persistence.enabled is false; set it to true") -}}
{{- end -}}
{{- end -}}

{{- define "relay.checkTopics" -}}
{{- $topics := .Values.kafka.topics -}}
{{- $strimzi := $topics.strimzi -}}
{{- if and (eq $topics.mode "strimzi") (not $strimzi.cluster) -}}
{{- include "lib.fail" (list . "kafka.topics.mode is strimzi, but kafka.topics.strimzi.cluster does not name the Kafka") -}}
{{- end -}}
{{- if and (ne $topics.mode "strimzi") (or $strimzi.cluster $strimzi.users.enabled) -}}
{{- include "lib.fail" (list . (printf "kafka.topics.strimzi is given, but kafka.topics.mode is %s; set it to strimzi" $topics.mode)) -}}
{{- end -}}
{{- if and $strimzi.users.enabled (eq (include "relay.strimziNamespace" .) .Release.Namespace) -}}
{{- $secrets := list .Values.global.secretName -}}
{{- range .facts.services -}}{{- $secrets = append $secrets (get $.Values . | default dict).secretName -}}{{- end -}}
{{- range (.Files.Get "files/topics.json" | fromJson).users -}}
{{- $user := include "relay.strimziName" (printf "%s%s" $.Values.global.kafka.prefix .user) -}}
{{- if has $user $secrets -}}
{{- include "lib.fail" (list $ (printf "kafka.topics.strimzi.users.enabled is true, and secretName is %s, which is also a user: Strimzi would replace that Secret by its own; give yours another name" $user)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.global.kafka.sasl.mechanism "none") (or $topics.sasl.username .Values.tasks.kafka.sasl.username) -}}
{{- include "lib.fail" (list . "a user of the brokers is given for topics or tests, but global.kafka.sasl.mechanism is none") -}}
{{- end -}}
{{- if not .Subcharts -}}
{{- include "lib.fail" (list . "every service is switched off, and embedded.enabled is false, so there is nothing to install") -}}
{{- end -}}
{{- end -}}
